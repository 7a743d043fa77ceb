#pragma once

#include "polhode/force/forces.h"
#include "polhode/multibody/constraints.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// Everything that a user can mean, as plain data. A field is called as its key in a scenario file (docs/scenario.md);
/// what is optional there is optional here, and holds what the user wrote: his representation, his unit, his formula.
/// Each struct lists its keys once, and reading, writing, comparing and evaluating follow from the list:
///
///   template <class Self, class Keys>
///   static void keys(Self& self, Keys& keys) {
///     keys.must("name", self.name);        // a key that must be there
///     keys.may("radius", self.radius);     // one that may be left out: the field keeps the default it has here
///     keys.of(self.attitude);              // the keys of another struct, in the same table
///   }
namespace polhode::scenario {

/// Euler angles, and their rates if they are given.
struct Euler {
  std::string sequence{};  ///< "3-2-1"
  std::optional<NumberVector> angles{};
  std::optional<NumberVector> angles_deg{};
  bool extrinsic = false;
  std::optional<NumberVector> rates{};
  std::optional<NumberVector> rates_deg{};
  friend bool operator==(const Euler&, const Euler&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("sequence", self.sequence);
    keys.may("angles", self.angles);
    keys.may("angles_deg", self.angles_deg);
    keys.may("extrinsic", self.extrinsic);
    keys.may("rates", self.rates);
    keys.may("rates_deg", self.rates_deg);
  }
};

struct AxisAngle {
  NumberVector axis{};
  std::optional<Number> angle{};
  std::optional<Number> angle_deg{};
  friend bool operator==(const AxisAngle&, const AxisAngle&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("axis", self.axis);
    keys.may("angle", self.angle);
    keys.may("angle_deg", self.angle_deg);
  }
};

/// An attitude, body to space, in one of these ways; none: the identity.
struct Attitude {
  std::optional<std::array<Number, 4>> quaternion_wxyz{};
  std::optional<std::array<Number, 4>> quaternion_xyzw{};
  std::optional<Euler> euler{};
  std::optional<AxisAngle> axis_angle{};
  std::optional<NumberMatrix> matrix{};
  std::optional<NumberVector> rotation_vector{};
  std::optional<NumberVector> rodrigues{};
  std::optional<NumberVector> mrp{};
  friend bool operator==(const Attitude&, const Attitude&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("quaternion_wxyz", self.quaternion_wxyz);
    keys.may("quaternion_xyzw", self.quaternion_xyzw);
    keys.may("euler", self.euler);
    keys.may("axis_angle", self.axis_angle);
    keys.may("matrix", self.matrix);
    keys.may("rotation_vector", self.rotation_vector);
    keys.may("rodrigues", self.rodrigues);
    keys.may("mrp", self.mrp);
  }
};

/// An angular velocity in one of these ways: rad/s, deg/s, turns a minute.
struct Rate {
  std::optional<NumberVector> w_body{};
  std::optional<NumberVector> w_body_deg{};
  std::optional<NumberVector> w_body_rpm{};
  std::optional<NumberVector> w_space{};
  std::optional<NumberVector> w_space_deg{};
  std::optional<NumberVector> w_space_rpm{};
  friend bool operator==(const Rate&, const Rate&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("w_body", self.w_body);
    keys.may("w_body_deg", self.w_body_deg);
    keys.may("w_body_rpm", self.w_body_rpm);
    keys.may("w_space", self.w_space);
    keys.may("w_space_deg", self.w_space_deg);
    keys.may("w_space_rpm", self.w_space_rpm);
  }
};

/// A homogeneous shape with its lengths, or a mesh with its file; "" where there is none.
struct Shape {
  std::string shape{};
  std::optional<Number> mass{};     ///< kg
  std::optional<Number> density{};  ///< kg/m³
  std::optional<NumberVector> edges{};
  std::optional<NumberVector> semi_axes{};
  std::optional<Number> radius{};
  std::optional<Number> length{};
  std::optional<Number> outer_radius{};
  std::optional<Number> inner_radius{};
  std::optional<Number> height{};
  std::string file{};
  std::optional<Number> scale{};
  friend bool operator==(const Shape&, const Shape&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("shape", self.shape);
    keys.may("mass", self.mass);
    keys.may("density", self.density);
    keys.may("edges", self.edges);
    keys.may("semi_axes", self.semi_axes);
    keys.may("radius", self.radius);
    keys.may("length", self.length);
    keys.may("outer_radius", self.outer_radius);
    keys.may("inner_radius", self.inner_radius);
    keys.may("height", self.height);
    keys.may("file", self.file);
    keys.may("scale", self.scale);
  }
};

/// A shape welded to others.
struct Part {
  Shape shape{};
  NumberVector position{};  ///< of its origin, m
  Attitude attitude{};
  bool hole = false;
  friend bool operator==(const Part&, const Part&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.of(self.shape);
    keys.may("position", self.position);
    keys.of(self.attitude);
    keys.may("hole", self.hole);
  }
};

/// Mass and inertia: by moments, matrix, shape or parts.
struct Inertia {
  std::optional<NumberVector> principal_moments{};  ///< kg m²
  std::optional<NumberMatrix> inertia_matrix{};     ///< kg m²
  Shape shape{};
  std::vector<Part> part{};
  std::optional<NumberVector> mass_centre{};  ///< m
  bool allow_impossible_inertia = false;
  friend bool operator==(const Inertia&, const Inertia&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("principal_moments", self.principal_moments);
    keys.may("inertia_matrix", self.inertia_matrix);
    keys.of(self.shape);
    keys.may("mass_centre", self.mass_centre);
    keys.may("allow_impossible_inertia", self.allow_impossible_inertia);
    keys.may("part", self.part);
  }
};

/// [body] of a scenario of one body.
struct OneBody {
  Inertia inertia{};
  std::optional<NumberVector> fixed_point{};  ///< body components, m
  friend bool operator==(const OneBody&, const OneBody&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("fixed_point", self.fixed_point);
    keys.of(self.inertia);
  }
};

/// [initial] of a scenario of one body.
struct Initial {
  Attitude attitude{};
  Rate rate{};
  std::optional<NumberVector> position{};  ///< of the mass centre, space, m
  std::optional<NumberVector> velocity{};  ///< m/s
  friend bool operator==(const Initial&, const Initial&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.of(self.attitude);
    keys.of(self.rate);
    keys.may("position", self.position);
    keys.may("velocity", self.velocity);
  }
};

/// A table that stands for several elements.
struct Copies {
  std::optional<Number> copies{};  ///< a whole number
  NumberVector copy_offset{};      ///< space, m
  friend bool operator==(const Copies&, const Copies&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("copies", self.copies);
    keys.may("copy_offset", self.copy_offset);
  }
};

/// Where a floating body goes from its drawing.
struct StartPose {
  std::optional<NumberVector> position{};
  Attitude attitude{};
  friend bool operator==(const StartPose&, const StartPose&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("position", self.position);
    keys.of(self.attitude);
  }
};

/// One of [[bodies]].
struct Body {
  std::string name{};
  Copies copies{};
  Inertia inertia{};
  std::vector<Part> outline{};  ///< how it looks, where that is not what its inertia is made of
  NumberVector position{};      ///< of the origin of its axes in the drawing, space, m
  Attitude attitude{};          ///< in the drawing
  std::optional<NumberVector> velocity{};
  Rate rate{};
  std::optional<StartPose> start{};
  friend bool operator==(const Body&, const Body&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("name", self.name);
    keys.of(self.copies);
    keys.may("position", self.position);
    keys.of(self.attitude);
    keys.may("velocity", self.velocity);
    keys.of(self.rate);
    keys.may("start", self.start);
    keys.of(self.inertia);
    keys.may("outline", self.outline);
  }
};

/// A frame of a joint in the axes of its body.
struct JointFrame {
  NumberVector point{};
  std::optional<NumberVector> axis{};
  std::optional<NumberVector> x_axis{};
  Attitude attitude{};  ///< in place of the axes
  friend bool operator==(const JointFrame&, const JointFrame&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("point", self.point);
    keys.may("axis", self.axis);
    keys.may("x_axis", self.x_axis);
    keys.of(self.attitude);
  }
};

/// One of [[joints]].
struct Joint {
  std::string name{};
  Copies copies{};
  std::string kind{};
  std::array<std::string, 2> bodies{};  ///< "ground" may be one
  std::optional<NumberVector> point{};  ///< in the drawing, space, m
  std::optional<NumberVector> axis{};
  std::optional<NumberVector> x_axis{};
  std::optional<NumberVector> second_point{};
  std::optional<Number> length{};  ///< m
  std::optional<Number> pitch{};   ///< m/rad
  std::optional<JointFrame> on_first{};
  std::optional<JointFrame> on_second{};
  std::optional<Named<Number>> start{};  ///< by coordinate: "turn_deg", "slide_z_rate"
  friend bool operator==(const Joint&, const Joint&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("name", self.name);
    keys.of(self.copies);
    keys.must("kind", self.kind);
    keys.must("bodies", self.bodies);
    keys.may("point", self.point);
    keys.may("axis", self.axis);
    keys.may("x_axis", self.x_axis);
    keys.may("second_point", self.second_point);
    keys.may("length", self.length);
    keys.may("pitch", self.pitch);
    keys.may("on_first", self.on_first);
    keys.may("on_second", self.on_second);
    keys.may("start", self.start);
  }
};

/// [gravity] of a mechanism.
struct MechanismGravity {
  std::optional<NumberVector> g_space{};       ///< m/s²
  std::optional<Number> mu{};                  ///< of a far centre, m³/s²
  std::optional<NumberVector> centre_space{};  ///< m
  friend bool operator==(const MechanismGravity&, const MechanismGravity&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("g_space", self.g_space);
    keys.may("mu", self.mu);
    keys.may("centre_space", self.centre_space);
  }
};

/// One of [[load]] or [[forces]].
struct Acting {
  std::string name{};  ///< may be empty
  Copies copies{};
  force::Acts what{};
  friend bool operator==(const Acting&, const Acting&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("name", self.name);
    keys.kind("kind", self.what);
    keys.of(self.copies);
  }
};

/// One of [[drivers]].
struct Driver {
  std::string name{};
  Copies copies{};
  force::OnJoint on{};
  std::optional<Expression> value{};  ///< of time and parameters
  std::optional<Expression> value_deg{};
  std::optional<Expression> rate{};
  std::optional<Expression> rate_deg{};
  std::optional<Expression> rate_rpm{};
  friend bool operator==(const Driver&, const Driver&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("name", self.name);
    keys.of(self.copies);
    keys.of(self.on);
    keys.may("value", self.value);
    keys.may("value_deg", self.value_deg);
    keys.may("rate", self.rate);
    keys.may("rate_deg", self.rate_deg);
    keys.may("rate_rpm", self.rate_rpm);
  }
};

/// One of [[couplings]].
struct Coupling {
  std::string name{};
  Copies copies{};
  std::array<std::string, 2> joints{};
  std::optional<std::array<std::string, 2>> coordinates{};
  std::array<Number, 2> factors{};
  std::optional<Number> constant{};
  friend bool operator==(const Coupling&, const Coupling&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("name", self.name);
    keys.of(self.copies);
    keys.must("joints", self.joints);
    keys.may("coordinates", self.coordinates);
    keys.must("factors", self.factors);
    keys.may("constant", self.constant);
  }
};

/// One of [[rolling]].
struct Rolling {
  std::string name{};
  Copies copies{};
  std::string body{};
  Number radius{};
  Number edge_radius{};
  std::optional<NumberVector> axis_body{};
  std::optional<NumberVector> centre_body{};
  std::optional<NumberVector> plane_point{};
  std::optional<NumberVector> plane_normal{};
  friend bool operator==(const Rolling&, const Rolling&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("name", self.name);
    keys.of(self.copies);
    keys.must("body", self.body);
    keys.may("radius", self.radius);
    keys.may("edge_radius", self.edge_radius);
    keys.may("axis_body", self.axis_body);
    keys.may("centre_body", self.centre_body);
    keys.may("plane_point", self.plane_point);
    keys.may("plane_normal", self.plane_normal);
  }
};

/// One of [[blades]].
struct Blade {
  std::string name{};
  Copies copies{};
  std::string body{};
  std::optional<NumberVector> point_body{};
  std::optional<NumberVector> across_body{};
  friend bool operator==(const Blade&, const Blade&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("name", self.name);
    keys.of(self.copies);
    keys.must("body", self.body);
    keys.may("point_body", self.point_body);
    keys.may("across_body", self.across_body);
  }
};

/// One of [[constraints]].
struct Constraining {
  std::string name{};
  Copies copies{};
  GivenConstraint what{};
  friend bool operator==(const Constraining&, const Constraining&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("name", self.name);
    keys.kind("kind", self.what);
    keys.of(self.copies);
  }
};

/// An Euler angle that passes a value.
struct AnglePassage {
  std::string sequence{};
  Number number{};  ///< 1, 2 or 3
  std::optional<Number> value{};
  std::optional<Number> value_deg{};
  friend bool operator==(const AnglePassage&, const AnglePassage&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("sequence", self.sequence);
    keys.must("number", self.number);
    keys.may("value", self.value);
    keys.may("value_deg", self.value_deg);
  }
};

/// One of [[event]].
struct Event {
  std::string name{};
  std::optional<Expression> formula{};
  std::optional<std::string> rate_body{};
  std::optional<std::string> rate_space{};
  std::optional<AnglePassage> angle{};
  std::optional<std::string> apsides{};
  std::optional<std::string> joint{};
  std::string coordinate{};
  std::optional<Number> value{};
  std::optional<Number> value_deg{};
  std::string direction = "both";
  std::string action = "record";
  std::string body{};  ///< of a mechanism, for an impulse
  std::optional<NumberVector> impulse_body{};
  std::optional<NumberVector> impulse_space{};
  std::optional<Named<Number>> set{};
  friend bool operator==(const Event&, const Event&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("name", self.name);
    keys.may("formula", self.formula);
    keys.may("rate_body", self.rate_body);
    keys.may("rate_space", self.rate_space);
    keys.may("angle", self.angle);
    keys.may("apsides", self.apsides);
    keys.may("joint", self.joint);
    keys.may("coordinate", self.coordinate);
    keys.may("value", self.value);
    keys.may("value_deg", self.value_deg);
    keys.may("direction", self.direction);
    keys.may("action", self.action);
    keys.may("body", self.body);
    keys.may("impulse_body", self.impulse_body);
    keys.may("impulse_space", self.impulse_space);
    keys.may("set", self.set);
  }
};

/// [run]: how it is run.
struct Run {
  Number duration{};                        ///< s
  std::optional<Number> output_interval{};  ///< s; a thousandth of the duration if not given
  std::string integrator = "dop853";
  std::optional<std::string> formulation{};  ///< "euler-body" of one body, "newton-euler" of a mechanism if not given
  std::optional<Number> step{};              ///< fixed steps, s
  std::optional<Number> tolerance{};         ///< 1e-10 if neither is given
  std::optional<Number> max_step{};          ///< of steps by tolerance, the longest, s
  std::optional<std::string> projection{};
  std::optional<Number> chart_distance_deg{};
  Number accuracy = 1e-6;                     ///< rad
  std::optional<Number> position_accuracy{};  ///< m; the accuracy times the scale of the motion if not given
  Number checkpoint_rows = 1000;              ///< a whole number
  bool adjust_velocities = false;
  std::string jacobian = "rate";
  friend bool operator==(const Run&, const Run&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("duration", self.duration);
    keys.may("output_interval", self.output_interval);
    keys.may("integrator", self.integrator);
    keys.may("formulation", self.formulation);
    keys.may("step", self.step);
    keys.may("tolerance", self.tolerance);
    keys.may("max_step", self.max_step);
    keys.may("projection", self.projection);
    keys.may("chart_distance_deg", self.chart_distance_deg);
    keys.may("accuracy", self.accuracy);
    keys.may("position_accuracy", self.position_accuracy);
    keys.may("checkpoint_rows", self.checkpoint_rows);
    keys.may("adjust_velocities", self.adjust_velocities);
    keys.may("jacobian", self.jacobian);
  }
};

/// One of [[output.points]]: a point of a body that is followed.
struct OutputPoint {
  std::string name{};
  std::string body{};      ///< of a mechanism
  NumberVector at_body{};  ///< in the axes of the body, m
  friend bool operator==(const OutputPoint&, const OutputPoint&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("name", self.name);
    keys.may("body", self.body);
    keys.must("at_body", self.at_body);
  }
};

/// [output]: what of a run is handed out.
struct Output {
  std::vector<std::string> columns{};  ///< names, or patterns with *; none: those that are there by default
  std::vector<std::string> extra{};    ///< groups of further columns: "accelerations", "forces"
  std::vector<Number> times{};         ///< of rows, s, in place of output_interval
  bool files = true;                   ///< false: the run writes none
  std::vector<OutputPoint> points{};
  friend bool operator==(const Output&, const Output&) = default;

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.may("columns", self.columns);
    keys.may("extra", self.extra);
    keys.may("times", self.times);
    keys.may("files", self.files);
    keys.may("points", self.points);
  }
};

/// A scenario: one body (`body`, `initial`), or a mechanism (`bodies`, `joints`, ...).
struct Scenario {
  std::string title{};
  std::string epoch{};
  Named<std::string> aem{};         ///< what an attitude message says besides the motion
  Named<Number> parameters{};       ///< a number may be a formula of others
  Named<Expression> definitions{};  ///< named expressions of time, state and parameters

  std::optional<OneBody> body{};
  std::optional<Initial> initial{};
  std::vector<Acting> load{};

  std::vector<Body> bodies{};
  std::vector<Joint> joints{};
  std::optional<MechanismGravity> gravity{};
  std::vector<Acting> forces{};
  std::vector<Driver> drivers{};
  std::vector<Coupling> couplings{};
  std::vector<Rolling> rolling{};
  std::vector<Blade> blades{};
  std::vector<Constraining> constraints{};

  std::vector<Event> event{};
  std::optional<Run> run{};
  std::optional<Output> output{};
  friend bool operator==(const Scenario&, const Scenario&) = default;

  bool is_mechanism() const { return !bodies.empty(); }

  /// Of a TOML file; fails with every mistake of form in it, each with its location.
  static Scenario read(const std::string& file);

  template <class Self, class Keys>
  static void keys(Self& self, Keys& keys) {
    keys.must("title", self.title);
    keys.may("epoch", self.epoch);
    keys.may("aem", self.aem);
    keys.may("parameters", self.parameters);
    keys.may("definitions", self.definitions);
    keys.may("body", self.body);
    keys.may("initial", self.initial);
    keys.may("load", self.load);
    keys.may("bodies", self.bodies);
    keys.may("joints", self.joints);
    keys.may("gravity", self.gravity);
    keys.may("forces", self.forces);
    keys.may("drivers", self.drivers);
    keys.may("couplings", self.couplings);
    keys.may("rolling", self.rolling);
    keys.may("blades", self.blades);
    keys.may("constraints", self.constraints);
    keys.may("event", self.event);
    keys.may("run", self.run);
    keys.may("output", self.output);
  }
};

}  // namespace polhode::scenario

namespace polhode {
using Scenario = scenario::Scenario;
}
