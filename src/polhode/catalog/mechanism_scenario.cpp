#include "polhode/catalog/mechanism_scenario.h"

#include "polhode/catalog/scenario_parts.h"
#include "polhode/core/error.h"
#include "polhode/math/degree.h"
#include "polhode/math/elementary.h"
#include "polhode/rotation/rotation_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace polhode::catalog {
namespace {

using io::TomlTable;
using math::kDegree;
using math::kRpm;
using simulation::StartValue;

constexpr double kMostCopies = 100000;
/// Given velocities that contradict the joints by up to this part of the largest speed do so by digits that were not
/// typed: they are adjusted, and it is told.
constexpr double kRoundedDigits = 1e-3;
/// A body whose attitude at the start is this near to the drawn one, in radian, has not been turned.
constexpr double kSameAttitude = 1e-9;

/// "6", or "[0, 0, 6]": all digits, so that it can be typed back.
std::string listed(const std::vector<double>& numbers) {
  return numbers.size() == 1 ? fmt::format("{}", numbers[0]) : fmt::format("[{}]", fmt::join(numbers, ", "));
}

/// Letters, digits, _ and -, a letter first: names become names of columns.
bool is_name(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto allowed = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), allowed);
}

class MechanismReader {
 public:
  MechanismReader(std::string_view bytes, std::string file, MeshPlaces meshes)
      : reader_(bytes, file), root_(reader_.root()) {
    scenario_.file = std::move(file);
    scenario_.text = bytes;
    meshes_ = MeshShelf(scenario_, meshes);
    context_.builder = &builder_;
    context_.scope = scope_;
    context_.bodies = &body_names_;
    context_.joints = &joint_names_;
    context_.kinds = &kinds_;
    context_.unusable = &unusable_;
    context_.uncounted = &uncounted_;
  }

  MechanismScenario read() {
    read_head(root_, scenario_);
    simulation::MechanismPlan& plan = scenario_.plan;
    plan.title = scenario_.title;
    read_parameters(root_, *scope_);
    plan.parameters = scope_->parameters();
    plan.start_parameters = *plan.parameters;
    for (const char* key : {"body", "initial", "load"}) {
      if (root_.has(key)) {
        root_.problem(key, fmt::format("[{}] belongs to scenarios of one body, [[bodies]] to mechanisms", key), {},
                      key == std::string_view("load") ? "write [[forces]], and [gravity] for weight"
                                                      : "put its keys under [[bodies]]");
      }
    }
    read_bodies();
    read_joints();
    std::vector<std::string> bodies;
    bodies.reserve(bodies_.size());
    for (const BodyStarts& body : bodies_) { bodies.push_back(body.name); }
    std::vector<std::pair<std::string, const JointKind*>> joints;
    joints.reserve(kinds_.size());
    for (std::size_t j = 0; j < kinds_.size(); ++j) { joints.emplace_back(joint_order_[j], kinds_[j]); }
    noting(root_, "bodies", [&] {
      scope_->add_elements(bodies, joints);
      for (const auto& [name, kind] : unusable_joints_) { scope_->add_unusable(name, kind); }
      return true;
    });
    read_definitions(root_, {&scope_->names, &scope_->time_names});
    check_definitions(root_, scope_->names);
    if (std::optional<TomlTable> gravity = root_.optional_table("gravity")) {
      const std::string key = one_of(*gravity, {"g_space", "mu"}, "what attracts");
      if (key == "g_space") { builder_.gravity(gravity->vector("g_space")); }
      if (key == "mu") {
        const double mu = positive(*gravity, "mu", 1);
        builder_.add(CentralGravity{gravity->optional_vector("centre_space").value_or(Vec3<double>{}), mu});
      }
    }
    read_couplings();
    read_rolling();
    bare_ = builder_;
    read_forces();
    read_drivers();
    read_events();
    std::optional<TomlTable> run = root_.optional_table("run");
    if (run) {
      read_run(*run, plan);
      read_run_of_mechanism(*run);
    } else if (!root_.has("run")) {
      root_.problem("", "there is no [run]", "wanted: a table [run] with its duration");
    }
    reader_.finish();
    build();
    reader_.finish();
    noting(*run, "integrator", [&] {
      const simulation::MechanismSimulation fits(plan);  // says what a run would refuse
      return true;
    });
    reader_.finish();
    meshes_.finish(scenario_);
    return std::move(scenario_);
  }

 private:
  /// What [run] of mechanisms alone has: velocities to solve for, which derivative of the joints' conditions their
  /// forces follow, and whether given velocities may be changed.
  void read_run_of_mechanism(TomlTable& run) {
    simulation::MechanismPlan& plan = scenario_.plan;
    adjust_velocities_ = run.optional_boolean("adjust_velocities").value_or(false);
    plan.formulation = run.optional_text("formulation").value_or(plan.formulation);
    if (plan.formulation != simulation::kNewtonEuler) {
      std::vector<std::string_view> known{simulation::kNewtonEuler};
      for (const EulerForm& form : euler_forms()) { known.push_back(form.name); }
      if (std::find(known.begin(), known.end(), plan.formulation) == known.end()) {
        run.problem("formulation", unknown_name("formulation of mechanisms", plan.formulation, known));
        plan.formulation = simulation::kNewtonEuler;
      }
    }
    const std::string jacobian = run.optional_text("jacobian").value_or("rate");
    if (jacobian != "rate" && jacobian != "raw") {
      run.problem("jacobian", unknown_name("jacobian", jacobian, {"rate", "raw"}));
    }
    plan.jacobian = jacobian == "raw" ? JointJacobian::raw : JointJacobian::through_rate;
    if (jacobian == "raw" && plan.formulation == simulation::kNewtonEuler) {
      run.problem("jacobian", "Newton-Euler velocities have no raw Jacobian",
                  "wanted: formulation = \"f5\", or another");
    }
    for (const char* table : {"couplings", "drivers", "rolling", "blades"}) {
      if (jacobian != "raw" || !root_.has(table)) { continue; }
      run.problem("jacobian", fmt::format("the raw Jacobian knows joints only, and there are {}", table),
                  "wanted: jacobian = \"rate\"");
    }
    if (plan.formulation != simulation::kNewtonEuler && plan.projection == ProjectionUse::none) {
      run.problem("formulation", "a form with Euler parameters holds |e| = 1 and the joints for accelerations only",
                  "wanted: projection = \"every_step\"", "and a method such as \"dop853\"");
    }
  }

  struct BodyStarts {
    std::string name;
    BodyStart start;  ///< as drawn
    simulation::GivenVelocity velocity;
    std::string rate_key;  ///< "" where no rate is given
    double rate_unit = 1;
    TomlTable table;
  };

  /// Reads a table once for each of its copies.
  template <class Read>
  void each_copy(TomlTable& table, const Read& read) {
    double copies = table.optional_number("copies").value_or(1);
    if (!(copies >= 1 && copies <= kMostCopies && copies == std::floor(copies))) {
      table.problem("copies", fmt::format("{:g} copies", copies), "allowed: whole numbers from 1 to 100000");
      copies = 1;  // the other keys of the table are looked at all the same
      const std::string name = table.optional_text("name").value_or("");
      uncounted_.push_back(name.substr(0, name.find("{i")));
      if (uncounted_.back().empty()) { uncounted_.pop_back(); }
    }
    const Vec3<double> offset = table.optional_vector("copy_offset").value_or(Vec3<double>{});
    for (int i = 1; i <= static_cast<int>(copies); ++i) {
      context_.copy = i;
      read(static_cast<double>(i - 1) * offset, copies > 1);
    }
    context_.copy = 1;
  }

  /// The name of an element, a new one.
  std::string new_name(TomlTable& table, bool copied) {
    std::string name = table.text("name");
    if (copied && name.find("{i") == std::string::npos) { name += "{i}"; }
    name = context_.named(name);
    if (!table.is_text("name")) { return name; }
    if (!is_name(name)) {
      table.problem("name", fmt::format("'{}' cannot be a name", name),
                    "allowed: letters, digits, _ and -, a letter first");
    } else if (name == "ground") {
      table.problem("name", "'ground' is what does not move, and has its name already");
    } else if (!names_.insert(name).second) {
      table.problem("name", fmt::format("two elements are called '{}'", name), {}, "rename one");
    }
    return name;
  }

  void read_bodies() {
    for (TomlTable& table : root_.tables("bodies")) {
      each_copy(table, [&](const Vec3<double>& offset, bool copied) {
        BodyStarts body{.name = new_name(table, copied), .start = {}, .velocity = {}, .rate_key = {}, .table = table};
        std::vector<Outline> outlines;
        const MassProperties mass = read_body(table, outlines, meshes_);
        const bool by_moments = table.has("principal_moments") || table.has("inertia_matrix");
        if (by_moments && !table.has("mass")) {
          table.problem("", fmt::format("body '{}' has no mass", body.name), "wanted: mass in kg, above 0");
        }
        scenario_.has_shape.push_back(!outlines.empty());
        if (outlines.empty()) { outlines.push_back(equivalent_outline(mass)); }
        RepresentationPtr representation;
        std::vector<double> values;
        body.start.e_NB = read_attitude(table, &representation, &values);
        body.start.r_N = table.optional_vector("position").value_or(Vec3<double>{}) + offset;
        body.velocity.v_N = table.optional_vector("velocity");
        if (has_rates(table)) {
          const GivenRate rate = read_rate(table, body.start.e_NB, representation, values);
          body.rate_key = rate.key;
          body.rate_unit = rate.unit;
          body.velocity.w = rate.w;
          body.velocity.w_in_space = rate.in_space;
        }
        if (std::optional<TomlTable> start = table.optional_table("start")) { read_place(*start, copied); }
        const bool any = table.optional_boolean("allow_impossible_inertia").value_or(false);
        body_names_.emplace(body.name, builder_.body(body.name, mass, body.start,
                                                     any ? Physical::allow_any_positive : Physical::require));
        scenario_.outlines.push_back(std::move(outlines));
        bodies_.push_back(std::move(body));
      });
    }
    if (bodies_.empty()) { root_.problem("bodies", "there is no [[bodies]]", "wanted: one or more bodies"); }
  }

  /// start of a body: where it goes from its drawing, with all that hangs on it.
  void read_place(TomlTable& start, bool copied) {
    simulation::StartPlace place{static_cast<BodyId>(bodies_.size()), start.optional_vector("position"), {}};
    RepresentationPtr representation;
    const EulerParameters<double> e_NB = read_attitude(start, &representation);
    if (representation) { place.e_NB = e_NB; }
    if (copied) { start.problem("", "copies cannot start at one place", {}, "use position and copy_offset"); }
    places_.push_back(place);
    place_tables_.push_back(start);
  }

  const BodyStart* start_of(BodyId body) const {
    return body < 0 ? nullptr : &bodies_[static_cast<std::size_t>(body)].start;
  }

  /// A frame of space on a body where it is drawn.
  FrameOnBody on_body(BodyId body, const Vec3<double>& point_N, const EulerParameters<double>& e_NF) const {
    const BodyStart* start = start_of(body);
    if (start == nullptr) { return {point_N, e_NF}; }
    return {rotate_back(start->e_NB, point_N - start->r_N), conjugate(start->e_NB) * e_NF};
  }

  /// The direction under `key`; notes one that is none.
  static bool is_direction(TomlTable& table, std::string_view key, const Vec3<double>& v) {
    if (norm(v) > 0) { return true; }
    table.problem(key, fmt::format("{} is zero: it gives no direction", key), "wanted: a vector that is not zero");
    return false;
  }
  /// Axes of a joint frame by its z axis and, if given, x axis.
  static EulerParameters<double> read_axes(TomlTable& table, const Vec3<double>& fallback) {
    const Vec3<double> z = table.optional_vector("axis").value_or(fallback);
    const Vec3<double> x = table.optional_vector("x_axis").value_or(Vec3<double>{});
    if (!is_direction(table, "axis", z)) { return EulerParameters<double>::identity(); }
    if (table.has("x_axis")) {
      if (!is_direction(table, "x_axis", x)) { return EulerParameters<double>::identity(); }
      if (norm(cross(x, z)) < 1e-9 * norm(x) * norm(z)) {
        table.problem("x_axis", "x_axis lies along axis", "wanted: a direction across it");
        return EulerParameters<double>::identity();
      }
    }
    return frame_with_axis(z, x);
  }

  /// on_first, on_second: a frame in the axes of its body.
  static FrameOnBody read_frame(TomlTable& table) {
    FrameOnBody frame;
    frame.r_BF_B = table.vector("point");
    frame.e_BF = table.has("axis") ? read_axes(table, {0, 0, 1}) : read_attitude(table);
    return frame;
  }

  void read_joints() {
    for (TomlTable& table : root_.tables("joints")) {
      each_copy(table, [&](const Vec3<double>& offset, bool copied) { read_joint(table, offset, copied); });
    }
  }

  void read_joint(TomlTable& table, const Vec3<double>& offset, bool copied) {
    const std::string name = new_name(table, copied);
    const std::string kind_name = table.text("kind");
    const auto kind =
        table.is_text("kind") ? noting(table, "kind", [&] { return &joint_kind(kind_name); }) : std::nullopt;
    const std::vector<std::string> ends = table.texts("bodies", 2);
    constexpr BodyId kNobody = kGround - 1;
    BodyId first = kNobody;
    BodyId second = kNobody;
    if (ends.size() == 2) {
      first = context_.body_called(table, "bodies", ends[0], true).value_or(kNobody);
      second = context_.body_called(table, "bodies", ends[1], true).value_or(kNobody);
    }
    if (first != kNobody && first == second) {
      table.problem("bodies", fmt::format("joint '{}' joins '{}' with itself", name, context_.named(ends[0])),
                    "wanted: two different bodies");
      first = kNobody;
    }
    // where the frames are
    FrameOnBody on_first;
    FrameOnBody on_second;
    double distance = 0;
    const bool by_frames = table.has("on_first") || table.has("on_second");
    const bool rod = kind && (*kind)->parameter == "length";
    if (by_frames) {
      for (const char* key : {"point", "axis", "x_axis", "second_point"}) {
        if (table.has(key)) {
          table.problem(key, fmt::format("{} beside frames on the bodies", key),
                        "wanted: point and axis in space, or on_first and on_second");
        }
      }
      for (const auto& [key, frame] : {std::pair{"on_first", &on_first}, std::pair{"on_second", &on_second}}) {
        if (std::optional<TomlTable> inner = table.optional_table(key)) {
          *frame = read_frame(*inner);
        } else if (!table.has(key)) {
          table.problem("", fmt::format("{} is missing in {}", key, table.name()), "wanted: both frames");
        }
      }
    } else {
      const Vec3<double> point = table.vector("point") + offset;
      const bool needs_axis = kind && (*kind)->turns != FreeTurns::all && (*kind)->name != "weld";
      const bool slides = kind && (*kind)->slides != FreeSlides::none && (*kind)->slides != FreeSlides::sphere;
      if ((needs_axis || slides) && !table.has("axis")) {
        table.problem("", fmt::format("axis is missing in {}", table.name()),
                      fmt::format("wanted: the z axis of the joint in space; {}: {}", (*kind)->name, (*kind)->summary));
      }
      const EulerParameters<double> e_NF = read_axes(table, {0, 0, 1});
      Vec3<double> second_point = point;
      if (rod) {
        second_point = table.vector("second_point") + offset;
        distance = norm(second_point - point);
        if (distance == 0) { table.problem("second_point", "the rod has no length: both points are the same"); }
      }
      on_first = on_body(first, point, e_NF);
      on_second = on_body(second, second_point, e_NF);
    }
    double parameter = 0;
    if (rod) {
      parameter = by_frames ? table.number("length") : positive(table, "length", distance > 0 ? distance : 1);
    }
    if (kind && (*kind)->parameter == "pitch") { parameter = table.number("pitch"); }
    const int index = static_cast<int>(kinds_.size());
    if (kind) {
      read_start(table, **kind, index);
    } else {
      // are keys of joints, though not known to be of this one
      for (const char* key : {"second_point", "length", "pitch", "start"}) { table.has(key); }
    }
    if (!kind || first == kNobody || second == kNobody) {
      // is a joint all the same, for those who name it; its number goes to the next one
      while (!starts_.empty() && starts_.back().joint == index) { starts_.pop_back(); }
      unusable_.insert(name);
      if (is_name(name)) { unusable_joints_.emplace_back(name, kind.value_or(nullptr)); }
      return;
    }
    builder_.joint(kind_name, name, first, on_first, second, on_second, parameter);
    kinds_.push_back(*kind);
    joint_order_.push_back(name);
    joint_names_.emplace(name, index);
    joint_tables_.push_back(table);
  }

  void read_start(TomlTable& table, const JointKind& kind, int joint) {
    std::optional<TomlTable> start = table.optional_table("start");
    if (!start) { return; }
    for (const Coordinate coordinate : kind.coordinates) {
      if (!has_row(coordinate)) { continue; }
      const std::string name(to_text(coordinate));
      StartValue value{joint, coordinate, {}, {}};
      std::pair<std::string, double> unit;
      const auto one = [&](const std::string& key, std::initializer_list<std::pair<const char*, double>> units) {
        std::optional<double> found;
        for (const auto& [suffix, size] : units) {
          if (!start->has(key + suffix)) { continue; }
          if (found) { start->problem(key + suffix, key + " is given twice"); }
          found = size * start->number(key + suffix);
          unit = {key + suffix, size};
        }
        return found;
      };
      if (is_angle(coordinate)) {
        value.value = one(name, {{"", 1}, {"_deg", kDegree}});
        value.rate = one(name + "_rate", {{"", 1}, {"_deg", kDegree}, {"_rpm", kRpm}});
      } else {
        value.value = one(name, {{"", 1}});
        value.rate = one(name + "_rate", {{"", 1}});
      }
      if (value.rate) { rate_keys_[{joint, coordinate}] = unit; }
      if (value.value || value.rate) { starts_.push_back(value); }
    }
  }

  void read_couplings() {
    for (TomlTable& table : root_.tables("couplings")) {
      each_copy(table, [&](const Vec3<double>&, bool copied) {
        Coupling coupling;
        coupling.name = new_name(table, copied);
        const std::vector<std::string> joints = table.texts("joints", 2);
        const std::vector<double> factors = table.numbers("factors", 2);
        const std::vector<std::string> coordinates =
            table.has("coordinates") ? table.texts("coordinates", 2) : std::vector<std::string>(2);
        const std::optional<double> constant = table.optional_number("constant");
        if (joints.size() != 2 || coordinates.size() != 2) { return; }
        const std::optional<int> first = context_.joint_called(table, "joints", joints[0]);
        const std::optional<int> second = context_.joint_called(table, "joints", joints[1]);
        if (!first || !second) { return; }
        const auto q1 = context_.coordinate_called(table, "coordinates", *first, coordinates[0]);
        const auto q2 = context_.coordinate_called(table, "coordinates", *second, coordinates[1]);
        if (!q1 || !q2) { return; }
        coupling.first_joint = *first;
        coupling.second_joint = *second;
        coupling.first_coordinate = *q1;
        coupling.second_coordinate = *q2;
        coupling.first_factor = factors[0];
        coupling.second_factor = factors[1];
        coupling.constant = constant.value_or(0);
        if (!constant) { coupled_as_drawn_.push_back(couplings_.size()); }
        couplings_.push_back(std::move(coupling));
      });
    }
    if (couplings_.empty()) { return; }
    // couplings that name no constant keep the one of the drawing
    const auto drawn = noting(root_, "couplings", [&] { return builder_.build(); });
    if (!drawn) { return; }
    const std::vector<double> y = drawn->start();
    const auto coordinate = [&](int joint, Coordinate c) {
      const auto [first, second] = drawn->ends(y, joint);
      return joint_coordinate(c, first, second).value;
    };
    for (const std::size_t i : coupled_as_drawn_) {
      Coupling& c = couplings_[i];
      c.constant = c.first_factor * coordinate(c.first_joint, c.first_coordinate) +
                   c.second_factor * coordinate(c.second_joint, c.second_coordinate);
    }
    for (const Coupling& coupling : couplings_) { builder_.add(coupling); }
  }

  /// A unit vector.
  static Vec3<double> direction(TomlTable& table, std::string_view key, const Vec3<double>& fallback) {
    const Vec3<double> v = table.optional_vector(key).value_or(fallback);
    return is_direction(table, key, v) ? v / norm(v) : fallback;
  }

  void read_rolling() {
    for (TomlTable& table : root_.tables("rolling")) {
      each_copy(table, [&](const Vec3<double>&, bool copied) {
        Rolling rolling;
        rolling.name = new_name(table, copied);
        const std::optional<BodyId> body = context_.body(table, "body");
        rolling.axis_B = direction(table, "axis_body", {0, 0, 1});
        rolling.center_B = table.optional_vector("centre_body").value_or(Vec3<double>{});
        rolling.radius = not_negative(table, "radius", 0);
        rolling.edge_radius = not_negative(table, "edge_radius", 0);
        rolling.point_N = table.optional_vector("plane_point").value_or(Vec3<double>{});
        rolling.normal_N = direction(table, "plane_normal", {0, 0, 1});
        if (rolling.radius + rolling.edge_radius == 0) {
          table.problem("", fmt::format("rolling '{}' has no radius", rolling.name),
                        "wanted: radius, edge_radius, or both");
          return;
        }
        if (!body) { return; }
        rolling.body = *body;
        builder_.add(std::move(rolling));
      });
    }
    for (TomlTable& table : root_.tables("blades")) {
      each_copy(table, [&](const Vec3<double>&, bool copied) {
        Blade blade;
        blade.name = new_name(table, copied);
        const std::optional<BodyId> body = context_.body(table, "body");
        blade.point_B = table.optional_vector("point_body").value_or(Vec3<double>{});
        blade.across_B = direction(table, "across_body", {0, 1, 0});
        if (!body) { return; }
        blade.body = *body;
        builder_.add(std::move(blade));
      });
    }
  }

  void read_forces() {
    for (TomlTable& table : root_.tables("forces")) {
      const std::string name = table.text("kind");
      std::vector<std::string_view> known;
      const ForceKind* kind = nullptr;
      for (const ForceKind* one : force_kinds()) {
        known.push_back(one->name);
        if (one->name == name) { kind = one; }
      }
      if (kind == nullptr) {
        if (table.is_text("kind")) { table.problem("kind", unknown_name("kind of force", name, known)); }
        table.keys();  // what its keys should be is not known either
        continue;
      }
      each_copy(table, [&](const Vec3<double>&, bool) { kind->add(table, context_); });
    }
  }

  void read_drivers() {
    std::map<std::pair<int, Coordinate>, std::string> driven;
    std::map<std::pair<int, Coordinate>, std::size_t> start_of_coordinate;
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      start_of_coordinate.emplace(std::pair{starts_[i].joint, starts_[i].coordinate}, i);
    }
    for (TomlTable& table : root_.tables("drivers")) {
      each_copy(table, [&](const Vec3<double>&, bool copied) {
        Driver driver;
        driver.name = new_name(table, copied);
        const std::string key = one_of(table, {"value", "value_deg", "rate", "rate_deg", "rate_rpm"}, "what is driven");
        const bool by_rate = key.starts_with("rate");
        const double unit = key.ends_with("_deg") ? kDegree : key.ends_with("_rpm") ? kRpm : 1;
        std::shared_ptr<const io::TimeFormula> formula;
        double number = 0;
        bool wrong = false;
        if (!key.empty()) {
          const io::TomlValue value = table.value(key);
          number = value.number;
          if (!value.formula.empty()) {
            const auto made = noting(table, key, [&] {
              return std::make_shared<const io::TimeFormula>(value.formula, scope_->time_names, value.where);
            });
            if (made) { formula = *made; }
            wrong = !made;
          }
        }
        const std::optional<JointPlace> place = context_.joint_place(table);
        if (!place || key.empty() || wrong) { return; }
        const int joint = place->joint;
        const Coordinate coordinate = place->coordinate;
        if (unit != 1 && !is_angle(coordinate)) {
          table.problem(key, fmt::format("{} for a slide", key), "wanted: value in m, or rate in m/s");
        }
        const auto [before, is_new] = driven.emplace(std::pair{joint, coordinate}, driver.name);
        if (!is_new) {
          table.problem("joint",
                        fmt::format("drivers '{}' and '{}' drive the same coordinate", before->second, driver.name), {},
                        "remove one");
          return;
        }
        driver.joint = joint;
        driver.coordinate = coordinate;
        StartValue start{joint, coordinate, {}, {}, true};
        if (by_rate && formula) {
          // the second derivative that a formula of a rate has is nobody's business
          driver.of_rate = true;
          driver.law = [formula, unit](double t) {
            const std::array<double, 3> q = (*formula)(t);
            return std::array<double, 3>{0, unit * q[0], unit * q[1]};
          };
          const std::array<double, 3> q = driver.law(0);
          if (!std::isfinite(q[1]) || !std::isfinite(q[2])) {
            table.problem(key, fmt::format("rate or acceleration at t = 0 is not finite ({:g}, {:g})", q[1], q[2]),
                          "wanted: a law that can be differentiated");
            return;
          }
          start.rate = q[1];
        } else if (by_rate) {
          // from where the joint starts
          const auto from = std::make_shared<double>(0);
          driver.law = [from, rate = unit * number](double t) {
            return std::array<double, 3>{*from + rate * t, rate, 0};
          };
          start.rate = unit * number;
          driven_from_start_.emplace_back(start, from);
        } else {
          driver.law = [formula, number, unit](double t) {
            std::array<double, 3> q = formula ? (*formula)(t) : std::array<double, 3>{number, 0, 0};
            for (double& x : q) { x *= unit; }
            return q;
          };
          const std::array<double, 3> q = driver.law(0);
          if (!std::isfinite(q[0]) || !std::isfinite(q[1]) || !std::isfinite(q[2])) {
            // the sign of a NaN means nothing
            const auto shown = [](double x) { return std::isnan(x) ? std::fabs(x) : x; };
            table.problem(key,
                          fmt::format("value, rate or acceleration at t = 0 is not finite ({:g}, {:g}, {:g})",
                                      shown(q[0]), shown(q[1]), shown(q[2])),
                          "wanted: a law that can be differentiated twice");
            return;
          }
          start.value = q[0];
          start.rate = q[1];
        }
        const auto own = start_of_coordinate.find({joint, coordinate});
        if (own != start_of_coordinate.end()) {
          const StartValue& other = starts_[own->second];
          if ((other.value && start.value) || (other.rate && start.rate)) {
            table.problem("joint",
                          fmt::format("joint '{}' has a start of its own for what driver '{}' says",
                                      joint_order_[static_cast<std::size_t>(joint)], driver.name),
                          {}, "remove it from start");
          }
        }
        driver_starts_.push_back(start);
        builder_.add(std::move(driver));
      });
    }
  }

  void read_events() {
    for (TomlTable& table : event_tables(root_)) {
      simulation::MechanismEvent event;
      read_event_head(table, event);
      read_function(table, event);
      const std::string action = table.optional_text("action").value_or("record");
      if (action == "stop") {
        event.action = simulation::Action::stop;
      } else if (action == "set") {
        event.action = simulation::Action::change;
        const std::function<void()> set = read_set(table, *scope_);
        if (!set) { continue; }
        event.change = [set](double, std::span<double>) { set(); };
      } else if (action == "impulse") {
        event.action = simulation::Action::change;
        const std::string key = one_of(table, {"impulse_body", "impulse_space"}, "the impulse");
        const std::optional<BodyId> body = context_.body(table, "body");
        if (key.empty()) { continue; }
        const Vec3<double> impulse = table.vector(key);
        if (!body) { continue; }
        // an angular impulse; what joints make of it is the projection that follows, weighed by mass
        event.change = [impulse, in_space = key == "impulse_space", b = *body, model = context_.model](
                           double, std::span<double> y) {
          BodyView hit = Model::view(y, b);
          const Mat3<double>& J_B = (*model)->bodies()[static_cast<std::size_t>(b)].mass.J_B;
          hit.w_B += inverse(J_B) * (in_space ? rotate_back(hit.e_NB, impulse) : impulse);
          Model::set(y, b, hit);
        };
      } else if (action != "record") {
        table.problem("action", unknown_name("action", action, {"record", "stop", "impulse", "set"}));
        // are keys, though which of them counts is not known
        for (const char* key : {"impulse_body", "impulse_space", "body", "set"}) { table.has(key); }
      }
      if (event.function) { scenario_.plan.events.push_back(std::move(event)); }
    }
  }

  void read_function(TomlTable& table, simulation::MechanismEvent& event) {
    const std::string key = one_of(table, {"formula", "joint"}, "what is looked for");
    if (key.empty()) {
      for (const char* beside : {"coordinate", "value", "value_deg"}) { table.has(beside); }
    }
    if (key == "formula") {
      const io::TomlValue value = table.value("formula");
      if (value.formula.empty()) {
        if (table.has("formula")) { table.problem("formula", "a plain number never changes its sign"); }
        return;
      }
      const auto formula = noting(table, key, [&] { return scope_->formula(value); });
      if (!formula) { return; }
      event.function = [scope = scope_, model = context_.model, f = *formula](const MechanismView& now) {
        scope->set(**model, now);
        return (*f)();
      };
    }
    if (key == "joint") {
      const std::optional<JointPlace> place = context_.joint_place(table);
      if (!place) {
        for (const char* beside : {"value", "value_deg"}) { table.has(beside); }
        return;
      }
      const bool angle = is_angle(place->coordinate);
      const double value = angle ? angles(table, "value", 1)[0] : table.number("value");
      const auto q = [model = context_.model, j = place->joint, c = place->coordinate,
                      value](const MechanismView& now) {
        const auto [first, second] = (*model)->ends(now.y, j);
        return joint_coordinate(c, first, second).value - value;
      };
      event.function = [q, angle](const MechanismView& now) { return angle ? math::sin(q(now)) : q(now); };
      // an angle passes its value once a turn: the sine has no jump at half a turn, but a zero there that is not meant
      if (angle) {
        event.counts = [q](const MechanismView& now) { return math::cos(q(now)) > 0; };
      }
    }
  }

  void build() {
    std::map<std::pair<int, Coordinate>, std::size_t> place_of;
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      place_of.emplace(std::pair{starts_[i].joint, starts_[i].coordinate}, i);
    }
    for (const StartValue& start : driver_starts_) {
      // one entry a coordinate: what a driver says joins what the file asks for
      const auto [found, is_new] = place_of.emplace(std::pair{start.joint, start.coordinate}, starts_.size());
      if (is_new) {
        starts_.push_back(start);
      } else {
        StartValue& same = starts_[found->second];
        if (start.value) { same.value = start.value; }
        if (start.rate) {
          same.rate = start.rate;
          same.driven = true;
        }
      }
    }
    for (const CountedAngle& angle : scope_->counted()) { builder_.count_turns(angle.joint, angle.coordinate); }
    const auto model = noting(root_, "joints", [&] { return std::make_shared<const Model>(builder_.build()); });
    if (!model) { return; }
    *context_.model = model->get();
    scenario_.plan.model = *model;
    const simulation::FloatingGroups floating(**model);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (floating.with(places_[i].body).empty()) {
        place_tables_[i].problem("",
                                 fmt::format("joints hold body '{}' to the ground: its place follows from them",
                                             bodies_[static_cast<std::size_t>(places_[i].body)].name),
                                 {}, "give start to a joint instead");
        return;
      }
    }
    std::vector<simulation::GivenVelocity> velocities;
    velocities.reserve(bodies_.size());
    for (const BodyStarts& body : bodies_) { velocities.push_back(body.velocity); }
    const auto assembly =
        noting(root_, "joints", [&] { return simulation::assemble(bare_, starts_, places_, velocities); });
    if (!assembly) { return; }
    if (!assembly->failure.empty()) {
      TomlTable& where =
          assembly->open_joint >= 0 ? joint_tables_[static_cast<std::size_t>(assembly->open_joint)] : root_;
      where.problem(assembly->open_joint >= 0 ? "name" : "joints",
                    "the mechanism cannot be assembled: " + assembly->failure, {},
                    "move its points, lengths or start so that the loop can close");
      return;
    }
    scenario_.plan.start = assembly->y;
    // whole turns that the file gives a start count
    for (const CountedAngle& angle : (*model)->counted()) {
      double& turn = scenario_.plan.start_turns.emplace_back(0);
      for (const StartValue& start : starts_) {
        if (start.joint == angle.joint && start.coordinate == angle.coordinate && start.value) { turn = *start.value; }
      }
    }
    look_at_velocities(*assembly);
    for (auto& [start, from] : driven_from_start_) {
      const auto [first, second] = (*model)->ends(assembly->y, start.joint);
      *from = joint_coordinate(start.coordinate, first, second).value;
    }
    const double small = 1e-9 * (*model)->length();
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const auto& move = assembly->closing[b];
      if (move.distance > small || move.angle > 1e-9) {
        scenario_.closing.push_back(fmt::format("body '{}' was moved by {:.3g} m and turned by {:.3g} rad",
                                                bodies_[b].name, move.distance, move.angle));
      }
    }
    Scratch scratch(**model);
    const Residuals left = residuals(**model, 0, assembly->y, scratch);
    if (!(left.position <= 1e-9 * (*model)->length())) {
      root_.problem("joints", "the mechanism cannot be assembled: " + simulation::widest_gap(**model, 0, assembly->y));
    }
  }

  /// Rates of Euler angles belong to the angles beside them; what was given and could not be kept is told, or refused.
  void look_at_velocities(const simulation::Assembly& assembly) {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      if (bodies_[b].rate_key != "euler") { continue; }
      const EulerParameters<double> e_NB = Model::view(assembly.y, static_cast<BodyId>(b)).e_NB;
      const EulerParameters<double> turn = conjugate(bodies_[b].start.e_NB) * e_NB;
      if (norm(turn.ev) < kSameAttitude * std::fabs(turn.e0)) { continue; }
      bodies_[b].table.problem(
          "euler",
          fmt::format("body '{}' is drawn in one attitude and starts in another: rates of its drawn angles do "
                      "not say how it turns",
                      bodies_[b].name),
          {}, "give w_body or w_space instead of rates");
    }
    double most = 0;
    for (const simulation::Assembly::Change& change : assembly.changes) { most = std::max(most, change.speed); }
    const bool refused = most > kRoundedDigits * assembly.largest_speed && !adjust_velocities_;
    for (const simulation::Assembly::Change& change : assembly.changes) {
      AdjustedVelocity adjusted;
      TomlTable* table = nullptr;
      double unit = 1;
      if (change.of == simulation::Assembly::Change::Of::coordinate) {
        const StartValue& start = starts_[change.index];
        adjusted.of_joint = true;
        adjusted.name = joint_order_[static_cast<std::size_t>(start.joint)];
        table = &joint_tables_[static_cast<std::size_t>(start.joint)];
        std::tie(adjusted.key, unit) = rate_keys_.at({start.joint, start.coordinate});
        adjusted.given = {change.given.x / unit};
        adjusted.used = {change.used.x / unit};
      } else {
        BodyStarts& body = bodies_[change.index];
        adjusted.name = body.name;
        table = &body.table;
        const bool rate = change.of == simulation::Assembly::Change::Of::rate;
        // rates of Euler angles are told as the angular velocity that they are
        adjusted.key = !rate ? "velocity" : body.rate_key == "euler" ? "w_body" : body.rate_key;
        unit = rate ? body.rate_unit : 1;
        for (std::size_t k = 0; k < 3; ++k) {
          adjusted.given.push_back(change.given[k] / unit);
          adjusted.used.push_back(change.used[k] / unit);
        }
      }
      // what is rounding beside the other components is zero for who types it
      double size = 0;
      for (const double x : adjusted.used) { size = std::max(size, std::fabs(x)); }
      for (double& x : adjusted.used) {
        if (std::fabs(x) < 1e-15 * size) { x = 0; }
      }
      if (refused) {
        table->problem(
            adjusted.of_joint ? "start" : adjusted.key,
            fmt::format("{} of {} '{}', {}, contradicts the joints by {:.3g} m/s, the largest speed being "
                        "{:.3g} m/s",
                        adjusted.key, adjusted.of_joint ? "joint" : "body", adjusted.name, listed(adjusted.given),
                        change.speed, assembly.largest_speed),
            fmt::format("nearest allowed: {}", listed(adjusted.used)),
            "give what the joints allow, leave out what follows from them, or set adjust_velocities = true in "
            "[run]");
      } else {
        scenario_.adjusted.push_back(std::move(adjusted));
      }
    }
  }

  io::TomlReader reader_;
  TomlTable root_;
  MechanismScenario scenario_;
  MeshShelf meshes_;
  ModelBuilder builder_;
  ModelBuilder bare_;  ///< without forces and drivers
  std::shared_ptr<MechanismScope> scope_ = std::make_shared<MechanismScope>();
  ElementContext context_;
  std::set<std::string> names_;
  std::set<std::string> unusable_;      ///< see ElementContext
  std::vector<std::string> uncounted_;  ///< see ElementContext
  std::vector<std::pair<std::string, const JointKind*>> unusable_joints_;
  std::map<std::string, BodyId> body_names_;
  std::map<std::string, int> joint_names_;
  std::vector<std::string> joint_order_;
  std::vector<const JointKind*> kinds_;
  std::vector<TomlTable> joint_tables_;
  std::vector<BodyStarts> bodies_;
  std::vector<StartValue> starts_;
  std::vector<simulation::StartPlace> places_;
  std::vector<TomlTable> place_tables_;
  std::vector<StartValue> driver_starts_;
  std::map<std::pair<int, Coordinate>, std::pair<std::string, double>> rate_keys_;  ///< of starts: key and its unit
  bool adjust_velocities_ = false;
  std::vector<std::pair<StartValue, std::shared_ptr<double>>> driven_from_start_;
  std::vector<Coupling> couplings_;
  std::vector<std::size_t> coupled_as_drawn_;
};

}  // namespace

std::string to_text(const AdjustedVelocity& adjusted) {
  return fmt::format("{} of {} '{}' from {} to {}", adjusted.key, adjusted.of_joint ? "joint" : "body", adjusted.name,
                     listed(adjusted.given), listed(adjusted.used));
}

bool is_mechanism(std::string_view bytes, const std::string& file) {
  io::TomlReader reader(bytes, file);
  return reader.root().has("bodies");
}

MechanismScenario read_mechanism(std::string_view bytes, std::string file, MeshPlaces meshes) {
  return MechanismReader(bytes, std::move(file), meshes).read();
}

}  // namespace polhode::catalog
