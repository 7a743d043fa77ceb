#include "polhode/io/on_threads.h"
#include "polhode/verification/integrator_checks.h"
#include "polhode/verification/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

namespace polhode::verification {
namespace {

// What is asked for.
constexpr double kOrderTolerance = 0.1;
constexpr double kHighOrderTolerance = 0.2;  // from order 6
constexpr double kExact = 1e-13;             // some hundred roundings of elliptic functions
constexpr double kReversal = 1e-12;          // 100 steps of up to 120 flows, some roundings of numbers up to 2 each
constexpr double kTrend = 1e-10;
constexpr double kStandardErrors = 3;
constexpr double kMomentum = 1e-11;
/// Turns over which the drift of the other methods is told: enough to see it, few enough that the worst still runs.
constexpr double kDriftTurns = 100;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Checks that belong together because one run serves them.
struct Task {
  std::string method;
  std::vector<Item> items;
  std::function<void(Task&, const Stop&)> run;
  std::vector<Measurement> measured;
  bool done = false;
};

const std::string& labels_for(const MethodDescription& method) {
  static const std::map<std::string, std::string> kLabels{
      {"explicit-euler", "INT-1 INT-2"},
      {"semi-implicit-euler", "INT-7"},
      {"world", "SCH-1"},
      {"world-implicit", "SCH-1"},
      {"world-no-gyro", "SCH-1"},
      {"world-no-gyro-implicit", "SCH-1"},
      {"body", "SCH-2"},
      {"body-implicit", "SCH-2"},
      {"body-no-gyro", "SCH-2"},
      {"rk4", "INT-1 INT-3"},
      {"dopri5", "INT-1 INT-4"},
      {"dop853", "INT-1 INT-5"},
      {"extrapolation", "INT-19 INT-20"},
      {"taylor", "INT-18 DYN-32"},
      {"gauss2", "INT-8"},
      {"gauss4", "INT-8"},
      {"gauss6", "INT-8"},
      {"lie-midpoint", "INT-9"},
      {"rkmk4", "INT-10"},
      {"cf4", "INT-11"},
      {"splitting2", "INT-12 DYN-30"},
      {"splitting4", "INT-12 DYN-30"},
      {"splitting6", "INT-12 DYN-30"},
      {"free-kick2", "INT-12 DYN-35"},
      {"free-kick4", "INT-12 DYN-35"},
      {"free-kick6", "INT-12 DYN-35"},
      {"dmv", "INT-13 INT-14"},
      {"rattle", "INT-15 DYN-31"},
      {"generalised-alpha", "INT-16 INT-17"},
  };
  static const std::string kNone;
  const auto found = kLabels.find(method.name);
  return found == kLabels.end() ? kNone : found->second;
}

Item item_of(const MethodDescription& method, Case which, const char* property, std::string statement,
             std::string twin) {
  Item item;
  item.source = "own";
  item.equation = fmt::format("{} of {}, {}", property, method.name, name_of(which));
  item.label = labels_for(method);
  if (const std::string acting = labels_of(which); !acting.empty()) {
    item.label += (item.label.empty() ? "" : " ") + acting;
  }
  if (method.name == "taylor" && which == Case::gravity_gradient) { item.label += " DYN-36"; }
  item.function = fmt::format("integrator \"{}\"", method.name);
  item.everywhere = method.portable;
  item.statement = std::move(statement);
  item.twin = std::move(twin);
  item.arithmetic = "double";
  item.in_table = true;
  return item;
}

/// Both as fractions of what is allowed.
void judge(Item& item, double residual, double twin_residual) {
  item.residual = residual;
  item.ok = residual <= 1;
  item.twin_residual = twin_residual;
  item.twin_killed = twin_residual > 1;  // a NaN is no catch
}

/// Whether a method can run a case.
bool runs(const MethodDescription& method, Case which) {
  const OneBody<double> body = body_of<double>(which);
  const BodySystem<double> system(formulation<double>(form_for(method, false)), body);
  return std::all_of(method.needs.begin(), method.needs.end(),
                     [&](const std::string& need) { return offers<double>(system, need); });
}

bool exact_on(const MethodDescription& method, Case which) {
  return which == Case::free_body &&
         std::find(method.needs.begin(), method.needs.end(), "free flow") != method.needs.end();
}

Task order_task(const MethodDescription& method, Case which) {
  const double tolerance = method.order < 6 ? kOrderTolerance : kHighOrderTolerance;
  Task task{method.name,
            {item_of(method, which, "order",
                     fmt::format("slope of the error over three steps is {} to {:g}, errors from 1e-3 to 1e-11{}",
                                 order_on(method, which), tolerance,
                                 method.leaves_out.empty() ? "" : ", against the motion without " + method.leaves_out),
                     "steps too long by a share of h^(order − 1)")},
            {},
            {}};
  if (method.order >= 6) { task.items[0].arithmetic = "long double"; }
  task.run = [&method, which, tolerance](Task& self, const Stop&) {
    const auto residual = [&](bool twin) {
      const MeasuredOrder found = measured_order(method, which, twin);
      if (!twin) { self.measured.push_back({"order", method.name, name_of(which), found.slope}); }
      const bool in_window = twin || (found.coarse <= 1e-3 && found.fine >= 1e-11);
      return in_window ? std::fabs(found.slope - order_on(method, which)) / tolerance : kInfinite;
    };
    const double right = residual(false);
    judge(self.items[0], right, residual(true));
  };
  return task;
}

Task exactness_task(const MethodDescription& method, Case which) {
  Task task{method.name,
            {item_of(method, which, "exactness", fmt::format("error ≤ {:g} in one, two and four steps", kExact),
                     "steps too long by 1e-9")},
            {},
            {}};
  task.run = [&method, which](Task& self, const Stop&) {
    const double error = error_of_exact(method, which, false);
    self.measured.push_back({"error where exact", method.name, name_of(which), error});
    judge(self.items[0], error / kExact, error_of_exact(method, which, true) / kExact);
  };
  return task;
}

Task tolerance_task(const MethodDescription& method, Case which) {
  Task task{method.name,
            {item_of(method, which, "tolerance", "error ≤ 10 tolerance for 1e-4, 1e-5, ..., 1e-12", "always at 1e-4")},
            {},
            {}};
  task.run = [&method, which](Task& self, const Stop&) {
    const double worst = error_over_tolerance(method, which, false);
    self.measured.push_back({"worst error / tolerance", method.name, name_of(which), 10 * worst});
    judge(self.items[0], worst, error_over_tolerance(method, which, true));
  };
  return task;
}

Task reversal_task(const MethodDescription& method, Case which) {
  Task task{method.name,
            {item_of(method, which, "reversal",
                     fmt::format("50 steps forward and 50 back change nothing by more than {:g}", kReversal),
                     "back with steps too long by 1e-9")},
            {},
            {}};
  task.run = [&method, which](Task& self, const Stop&) {
    const double error = reversal_error(method, which, false);
    self.measured.push_back({"reversal", method.name, name_of(which), error});
    judge(self.items[0], error / kReversal, reversal_error(method, which, true) / kReversal);
  };
  return task;
}

/// How far the energy trend is beyond what is allowed: small, or not told from none.
double trend_residual(const LongRun& run) {
  if (!run.finished) { return kInfinite; }
  const double trend = std::fabs(run.energy_trend);
  const double in_errors = trend > 0 ? trend / (kStandardErrors * run.energy_trend_error) : 0;
  return std::fmin(trend / kTrend, in_errors);
}

/// Symplectic and variational methods.
Task long_run_task(const MethodDescription& method, Case which, double turns) {
  Task task{method.name,
            {item_of(method, which, "energy",
                     fmt::format("no trend over {:g} turns: slope times run ≤ {:g} or under {:g} standard errors",
                                 turns, kTrend, kStandardErrors),
                     "rates shrink by 1 % on the way"),
             item_of(method, which, "momentum",
                     fmt::format("{} is kept to {:g} over {:g} turns", momentum_of(which), kMomentum, turns),
                     "rates shrink by 1e-9 on the way")},
            {},
            {}};
  task.run = [&method, which, turns](Task& self, const Stop& stop) {
    const LongRun run = long_run(method, which, turns, 0, stop);
    const LongRun lossy = long_run(method, which, std::fmax(turns / 20, 100), 1e-2, stop);
    const LongRun slightly = long_run(method, which, std::fmax(turns / 100, 10), 1e-9, stop);
    const auto tell = [&](const char* quantity, double value) {
      self.measured.push_back({quantity, method.name, name_of(which), value});
    };
    tell("energy trend", run.finished ? run.energy_trend : kInfinite);
    tell("its standard error", run.energy_trend_error);
    tell("energy swing", run.energy_swing);
    tell("momentum drift", run.finished ? run.momentum_drift : kInfinite);
    judge(self.items[0], trend_residual(run), lossy.finished ? trend_residual(lossy) : 0);
    judge(self.items[1], run.finished ? run.momentum_drift / kMomentum : kInfinite,
          slightly.finished ? slightly.momentum_drift / kMomentum : 0);
  };
  return task;
}

/// The others: numbers, not judged.
Task drift_task(const MethodDescription& method, Case which) {
  Task task{method.name, {}, {}, {}};
  task.run = [&method, which](Task& self, const Stop& stop) {
    const LongRun run = long_run(method, which, kDriftTurns, 0, stop);
    const auto tell = [&](const std::string& quantity, double value) {
      self.measured.push_back({quantity, method.name, name_of(which), run.finished ? value : kInfinite});
    };
    tell(fmt::format("energy drift in {:g} turns", kDriftTurns), run.energy_drift);
    tell(fmt::format("momentum drift in {:g} turns", kDriftTurns), run.momentum_drift);
  };
  return task;
}

std::vector<Task> all_tasks(double turns) {
  std::vector<Task> tasks;
  for (const auto& integrator : integrators<double>()) {
    const MethodDescription& method = integrator->description();
    for (const Case which : kCases) {
      if (!runs(method, which)) { continue; }
      tasks.push_back(method.order == 0         ? tolerance_task(method, which)
                      : exact_on(method, which) ? exactness_task(method, which)
                                                : order_task(method, which));
      if (method.symmetric) { tasks.push_back(reversal_task(method, which)); }
      tasks.push_back(method.symplectic ? long_run_task(method, which, turns) : drift_task(method, which));
    }
  }
  return tasks;
}

void run_one(Task& task, const Stop& stop) {
  try {
    task.run(task, stop);
  } catch (const std::exception& trouble) {
    for (Item& item : task.items) {
      item.ok = false;
      item.trouble = trouble.what();
    }
  }
  task.done = !(stop && stop());
}

/// Every task, on all processors; what comes out does not depend on how many there are.
void run_all(std::vector<Task>& tasks, const VerifyOptions& options) {
  std::atomic<std::size_t> next{0};
  std::mutex talking;
  std::map<std::string, std::size_t> left;
  for (const Task& task : tasks) { ++left[task.method]; }
  const std::size_t methods = left.size();
  std::size_t finished = 0;
  const auto work = [&] {
    for (std::size_t n = next++; n < tasks.size(); n = next++) {
      if (options.stop && options.stop()) { return; }
      run_one(tasks[n], options.stop);
      const std::lock_guard<std::mutex> lock(talking);
      if (--left[tasks[n].method] > 0) { continue; }
      ++finished;
      if (options.progress) {
        options.progress(fmt::format("{} of {} integrators: {} done", finished, methods, tasks[n].method));
      }
    }
  };
  io::on_threads(std::thread::hardware_concurrency(), work);
}

}  // namespace

Report verify_integrators(const VerifyOptions& options) {
  std::vector<Task> tasks = all_tasks(options.turns);
  run_all(tasks, options);
  Report report{"integrators", {}, {}};
  for (Task& task : tasks) {
    if (!task.done) { continue; }
    std::move(task.items.begin(), task.items.end(), std::back_inserter(report.items));
    std::move(task.measured.begin(), task.measured.end(), std::back_inserter(report.measured));
  }
  return report;
}

Report describe_integrators() {
  Report report{"integrators", {}, {}};
  for (Task& task : all_tasks(VerifyOptions{}.turns)) {
    std::move(task.items.begin(), task.items.end(), std::back_inserter(report.items));
  }
  return report;
}

}  // namespace polhode::verification
