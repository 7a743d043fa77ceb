#include "polhode/catalog/row_conversion.h"

#include "polhode/core/counted.h"
#include "polhode/core/refuse.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace polhode::catalog {
namespace {

using io::RowReader;

/// JSON knows no infinity.
nlohmann::ordered_json finite_or_null(double x) {
  return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json(nullptr);
}

/// The largest of something over the rows, and which row had it.
struct Worst {
  long count = 0;  ///< rows that had it at all
  double value = 0;
  int row = 0;
  double distance = 0;

  void see(double x, int at, double further = 0) {
    ++count;
    if (!(x <= value)) {
      value = x;
      row = at;
      distance = further;
    }
  }
};

/// A distance in words.
std::string far(double distance) {
  return std::isfinite(distance) ? fmt::format("{:.3g}", distance) : "more than 1.8e+308";
}

/// Text of the output, what was noticed, and every mistake.
class RowConversion {
 public:
  RowConversion(const Conversion& conversion, const RowOptions& options,
                const std::function<void(std::string_view)>& write)
      : conversion_(conversion), options_(options), write_(&write) {}

  RowNotes operator()(RowReader& reader) {
    if (options_.json) { begin_json(); }
    convert(reader);
    return finish(reader);
  }

 private:
  bool has_rates() const { return conversion_.plan().rates_to != Rates::none; }
  bool has_accelerations() const { return conversion_.plan().accelerations_to != Rates::none; }
  bool is_interrupted() const { return options_.keep_going && !options_.keep_going(); }

  void convert(RowReader& reader) {
    constexpr std::size_t kFlush = std::size_t{1} << 20;
    std::vector<double> in(conversion_.input_names().size());
    std::vector<double> out(conversion_.output_names().size());
    Problem problem;
    while (true) {
      const RowReader::Found found = reader.next(in, problem);
      if (found == RowReader::Found::end || (is_interrupted() && !reader.line_complete())) { return; }
      ++rows_;
      if (found == RowReader::Found::mistake) {
        add(std::move(problem));
        continue;
      }
      Conversion::Outcome outcome;
      try {
        outcome = conversion_(in, out);
      } catch (const Error& error) {
        for (Problem what : error.problems()) { add(located(std::move(what), reader, in)); }
        continue;
      }
      if (bad_rows_ > 0) { continue; }  // what is already wrong is not written; the rest is checked only
      notice(outcome);
      if (options_.json) {
        append_json(out, outcome);
      } else {
        append_text(out, reader);
        if (text_.size() > kFlush) {
          (*write_)({text_.data(), text_.size()});
          text_.clear();
        }
      }
    }
  }

  /// A problem of a row with its location, and with the way to take noisy numbers where there is one.
  Problem located(Problem problem, const RowReader& reader, const std::vector<double>& in) const {
    if (!options_.nearest) {
      ConversionPlan nearest = conversion_.plan();
      nearest.noise = Noise::project;
      try {
        std::vector<double> out(conversion_.output_names().size());
        const double distance = Conversion(nearest)(in, out).distance;
        problem.cure = problem.cure.empty()
                           ? fmt::format("--nearest takes the nearest rotation, {} away", far(distance))
                           : problem.cure + "; --nearest takes that";
      } catch (const Error&) {  // NOLINT(bugprone-empty-catch): not noise, nothing to offer
      }
    }
    if (!reader.location().file.empty()) { problem.where = reader.location(); }
    return problem;
  }

  void add(Problem problem) {
    constexpr long kShown = 11;  // and one line that counts the rest
    if (problem.where.file.empty()) {
      if (problem.where.column > 0) { problem.what = "values: " + problem.what; }
      problem.where = {};
    }
    if (bad_rows_++ < kShown) { problems_.push_back(std::move(problem)); }
  }

  void notice(const Conversion::Outcome& outcome) {
    const double condition = outcome.conditioning.condition_number;
    if (!(condition <= kWorryingCondition)) {
      near_.see(condition, static_cast<int>(rows_), outcome.conditioning.distance);
    }
    if (options_.nearest && outcome.distance > 0) { projected_.see(outcome.distance, static_cast<int>(rows_)); }
    if (options_.nearest && outcome.rate_distance > 0) {
      projected_rates_.see(outcome.rate_distance, static_cast<int>(rows_));
    }
    if (options_.nearest && outcome.acceleration_distance > 0) {
      projected_accelerations_.see(outcome.acceleration_distance, static_cast<int>(rows_));
    }
  }

  void append_number(double x) { fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{}"), x + 0.0); }  // -0 is 0

  void append_text(const std::vector<double>& out, const RowReader& reader) {
    const char separator = options_.csv ? ',' : reader.separator() == '\0' ? ' ' : reader.separator();
    if (rows_ == 1 && options_.header) {
      const std::string between(1, separator);
      fmt::format_to(std::back_inserter(text_), "{}\n", fmt::join(conversion_.output_names(), between));
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (i > 0) { text_.push_back(separator); }
      append_number(out[i]);
    }
    text_.push_back('\n');
  }

  void begin_json() {
    const auto unit = [](bool degrees) { return degrees ? "deg" : "rad"; };
    const ConversionPlan& plan = conversion_.plan();
    nlohmann::ordered_json object{{"what", "convert"}, {"from", plan.from->name()}};
    for (const RepresentationPtr& rep : plan.then) { object["then"].push_back(rep->name()); }
    if (!plan.then.empty()) { object["relative"] = plan.relative; }
    object["to"] = output_name(plan);
    object["angle_unit_in"] = unit(plan.degrees_in);
    object["angle_unit_out"] = unit(plan.degrees_out);
    object["columns_in"] = conversion_.input_names();
    object["columns"] = conversion_.output_names();
    std::string head = object.dump();
    head.back() = ',';
    text_.append(head);
    if (!options_.one_row) { text_.append(std::string_view("\"rows\":[")); }
  }

  void append_json(const std::vector<double>& out, const Conversion::Outcome& outcome) {
    if (!options_.one_row) { text_.append(std::string_view(rows_ > 1 ? ",\n{" : "\n{")); }
    text_.append(std::string_view("\"values\":["));
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (i > 0) { text_.push_back(','); }
      append_number(out[i]);
    }
    const auto append = [&](std::string_view key, double x) {
      text_.append(key);
      if (std::isfinite(x)) {
        append_number(x);
      } else {
        text_.append(std::string_view("null"));
      }
    };
    append("],\"condition_number\":", outcome.conditioning.condition_number);
    append(",\"distance_to_singularity\":", outcome.conditioning.distance);
    append(",\"distance_to_rotation\":", outcome.distance);
    if (has_rates()) { append(",\"distance_to_rotation_rates\":", outcome.rate_distance); }
    if (has_accelerations()) { append(",\"distance_to_rotation_accelerations\":", outcome.acceleration_distance); }
    if (!options_.one_row) { text_.push_back('}'); }
  }

  std::vector<std::string> warnings() const {
    std::vector<std::string> lines;
    const std::string to = output_name(conversion_.plan());
    const std::string all = counted(static_cast<std::uint64_t>(rows_), "row");
    if (near_.count > 0) {
      const std::string how_near =
          fmt::format("condition number {:.3g}, {:.3g} rad from the singularity", near_.value, near_.distance);
      lines.push_back(options_.one_row
                          ? fmt::format("{} is near its singularity here: {}; small changes of attitude become large "
                                        "changes of these numbers",
                                        to, how_near)
                          : fmt::format("{} of {} {} near the singularity of {} (condition number above {:g}); "
                                        "the worst is row {}: {}",
                                        near_.count, all, near_.count == 1 ? "is" : "are", to, kWorryingCondition,
                                        near_.row, how_near));
    }
    const auto tell = [&](const Worst& projected, const char* taken) {
      if (projected.count == 0) { return; }
      lines.push_back(options_.one_row ? fmt::format("{} taken, {} away", taken, far(projected.value))
                                       : fmt::format("{} taken in {} of {}; farthest away in row {}: {}", taken,
                                                     projected.count, all, projected.row, far(projected.value)));
    };
    tell(projected_, "the nearest rotation was");
    tell(projected_rates_, "the nearest rates of a rotation were");
    tell(projected_accelerations_, "the nearest accelerations of a rotation were");
    return lines;
  }

  RowNotes finish(const RowReader& reader) {
    if (bad_rows_ > static_cast<long>(problems_.size())) {
      problems_.push_back(
          {.what = fmt::format("... and {} more; {} in all", bad_rows_ - static_cast<long>(problems_.size()),
                               counted(static_cast<std::uint64_t>(rows_), "row")),
           .allowed = {},
           .cure = {}});
    }
    if (!problems_.empty()) { fail(Error(std::move(problems_))); }
    if (rows_ == 0 && options_.one_row) {
      fail(Error(Problem{.what = "the values hold no numbers",
                         .allowed = fmt::format("{} needed: {}", conversion_.input_names().size(),
                                                fmt::join(conversion_.input_names(), " ")),
                         .cure = {}}));
    }
    if (rows_ == 0 && !is_interrupted()) {
      refuse(fmt::format("{} holds no rows", reader.location().file), "one row of numbers a line");
    }

    const std::vector<std::string> lines = warnings();
    if (options_.json) {
      const auto of = [](const Worst& worst, const char* what) {
        return nlohmann::ordered_json{
            {"count", worst.count}, {"worst_row", worst.row}, {what, finite_or_null(worst.value)}};
      };
      nlohmann::ordered_json summary{{"count", rows_},
                                     {"near_singularity", of(near_, "condition_number")},
                                     {"projected", of(projected_, "distance")}};
      if (has_rates()) { summary["projected_rates"] = of(projected_rates_, "distance"); }
      if (has_accelerations()) { summary["projected_accelerations"] = of(projected_accelerations_, "distance"); }
      summary["warnings"] = lines;
      std::string tail = summary.dump();
      tail.front() = ',';
      if (!options_.one_row) { text_.push_back(']'); }
      text_.append(tail);
      text_.push_back('\n');
    }
    (*write_)({text_.data(), text_.size()});
    return {rows_, lines};
  }

  const Conversion& conversion_;
  const RowOptions& options_;
  const std::function<void(std::string_view)>* write_;
  fmt::memory_buffer text_;
  long rows_ = 0;
  long bad_rows_ = 0;
  std::vector<Problem> problems_;
  Worst near_;
  Worst projected_;
  Worst projected_rates_;
  Worst projected_accelerations_;
};

}  // namespace

RowNotes convert_rows(const Conversion& conversion, RowReader& reader, const RowOptions& options,
                      const std::function<void(std::string_view)>& write) {
  return RowConversion(conversion, options, write)(reader);
}

}  // namespace polhode::catalog
