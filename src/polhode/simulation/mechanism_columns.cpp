#include "polhode/simulation/mechanism_columns.h"

#include "polhode/core/index.h"
#include "polhode/multibody/force_values.h"
#include "polhode/rotation/rotation_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace polhode::simulation {
namespace {

bool is_slide(Coordinate coordinate) { return to_text(coordinate).starts_with("slide"); }

/// (α, a) of a body; of ground, zero.
Pair acceleration(const Model& model, const Scratch& scratch, BodyId body) {
  return body == kGround ? Pair{} : acceleration_of(model, scratch, body);
}

/// Collects groups of columns.
class FurtherColumns {
 public:
  std::vector<ColumnGroup<MechanismNow>> groups;

  /// Three columns.
  template <class Value>
  void add_vector(std::string_view group, const std::string& symbol, const char* frame, const std::string& unit,
                  const std::string& unit_name, const std::string& meaning, Value value) {
    ColumnGroup<MechanismNow> one{std::string(group), {}, [value](const MechanismNow& now, std::span<double> to) {
                                    const Vec3<double> v = value(now);
                                    to[0] = v.x;
                                    to[1] = v.y;
                                    to[2] = v.z;
                                  }};
    simulation::add_vector(one.columns, symbol, frame, unit, unit_name, meaning);
    groups.push_back(std::move(one));
  }
  /// Force in space components and moment about a point: six columns.
  template <class Value>
  void add_wrench(const std::string& name, const std::string& what, const std::string& about, Value value) {
    ColumnGroup<MechanismNow> one{"forces", {}, [value](const MechanismNow& now, std::span<double> to) {
                                    const Pair wrench = value(now);
                                    for (std::size_t k = 0; k < 3; ++k) {
                                      to[k] = wrench.lin[k];
                                      to[3 + k] = wrench.ang[k];
                                    }
                                  }};
    simulation::add_vector(one.columns, name + ".f", "space", "N", "N", "force of " + what);
    simulation::add_vector(one.columns, name + ".m", "space", "N m", "Nm", "moment of " + what + " about " + about);
    groups.push_back(std::move(one));
  }
  template <class Value>
  void add_number(std::string_view group, Column column, Value value) {
    groups.push_back({std::string(group), {std::move(column)}, [value](const MechanismNow& now, std::span<double> to) {
                        to[0] = value(now);
                      }});
  }
  /// What acts on a coordinate: a force on a slide, a torque on an angle.
  template <class Value>
  void add_on_coordinate(const std::string& name, Coordinate coordinate, const std::string& meaning, Value value) {
    const bool slide = is_slide(coordinate);
    add_number("forces", {name + (slide ? ".force_N" : ".torque_Nm"), slide ? "N" : "N m", meaning}, value);
  }
};

void add_bodies(const Model& model, FurtherColumns& to) {
  for (BodyId b = 0; b < static_cast<BodyId>(model.body_count()); ++b) {
    const std::string& name = model.bodies()[at(b)].name;
    to.add_vector("rates", name + ".w", "space", "rad/s", "rad_s", "angular velocity of " + name,
                  [b](const MechanismNow& now) {
                    const BodyView body = Model::view(now.y, b);
                    return rotate(body.e_NB, body.w_B);
                  });
    to.add_vector("accelerations", name + ".a", "space", "m/s2", "m_s2", "acceleration of the mass centre of " + name,
                  [b](const MechanismNow& now) { return acceleration_of(now.model, now.scratch, b).lin; });
    to.add_vector("accelerations", name + ".alpha", "body", "rad/s2", "rad_s2", "angular acceleration of " + name,
                  [b](const MechanismNow& now) {
                    return rotate_back(Model::view(now.y, b).e_NB, acceleration_of(now.model, now.scratch, b).ang);
                  });
    to.add_vector("accelerations", name + ".alpha", "space", "rad/s2", "rad_s2", "angular acceleration of " + name,
                  [b](const MechanismNow& now) { return acceleration_of(now.model, now.scratch, b).ang; });
  }
}

void add_joints(const Model& model, FurtherColumns& to) {
  for (int j = 0; j < static_cast<int>(model.joint_count()); ++j) {
    const JointDescription& joint = model.joints()[at(j)];
    for (const Coordinate coordinate : joint.kind->coordinates) {
      const std::string name(to_text(coordinate));
      const std::string unit = is_slide(coordinate) ? "m" : "rad";
      to.add_number("accelerations",
                    {joint.name + "." + name + "_" + unit + "_s2", unit + "/s2",
                     "derivative of the rate of " + name + " of joint " + joint.name},
                    [j, coordinate](const MechanismNow& now) {
                      return coordinate_acceleration(now.model, now.y, now.scratch, j, coordinate);
                    });
    }
  }
  for (int j = 0; j < static_cast<int>(model.joint_count()); ++j) {
    const JointDescription& joint = model.joints()[at(j)];
    for (const Coordinate coordinate : joint.kind->coordinates) {
      if (!counts_turns(coordinate)) { continue; }
      to.add_number("turns",
                    {unwrapped_column(joint.name, coordinate), "rad",
                     std::string(to_text(coordinate)) + " of joint " + joint.name + " with its whole turns"},
                    [j, coordinate](const MechanismNow& now) {
                      const auto [first, second] = now.model.ends(now.y, j);
                      return now.model.unwrapped(now.turns, j, coordinate,
                                                 joint_coordinate(coordinate, first, second).value);
                    });
    }
  }
}

void add_points(const Model& model, const std::vector<TrackedPoint>& points, FurtherColumns& to) {
  for (const TrackedPoint& point : points) {
    const std::string dot = point.name + ".";
    const std::string of = fmt::format("of point {} of {}", point.name, model.bodies()[at(point.body)].name);
    struct Seen {
      BodyView body;
      Vec3<double> arm;
      Vec3<double> w;
    };
    const auto see = [b = point.body, r_BP_B = point.r_BP_B](const MechanismNow& now) {
      const BodyView body = Model::view(now.y, b);
      return Seen{body, rotate(body.e_NB, r_BP_B - now.model.bodies()[at(b)].mass.center_B),
                  rotate(body.e_NB, body.w_B)};
    };
    to.add_vector(kPointGroup, dot + "r", "space", "m", "m", "position " + of, [see](const MechanismNow& now) {
      const Seen s = see(now);
      return s.body.r_N + s.arm;
    });
    to.add_vector(kPointGroup, dot + "v", "space", "m/s", "m_s", "velocity " + of, [see](const MechanismNow& now) {
      const Seen s = see(now);
      return s.body.v_N + cross(s.w, s.arm);
    });
    to.add_vector(kPointGroup, dot + "a", "space", "m/s2", "m_s2", "acceleration " + of,
                  [see, b = point.body](const MechanismNow& now) {
                    const Seen s = see(now);
                    const Pair a = acceleration_of(now.model, now.scratch, b);
                    return a.lin + cross(a.ang, s.arm) + cross(s.w, cross(s.w, s.arm));
                  });
  }
}

/// Names of what acts: its own, or its kind and a number that is not yet taken.
class ForceNames {
 public:
  explicit ForceNames(const Model& model) {
    const auto take = [this](const auto& list) {
      for (const auto& one : list) { taken_.insert(one.name); }
    };
    take(model.bodies());
    model.each([this](const auto& one, const ConstraintId&) { taken_.insert(one.name); });
    take(model.wrenches());
    take(model.springs());
    take(model.joint_springs());
    take(model.joint_limits());
    take(model.joint_frictions());
    take(model.bushings());
    take(model.drags());
    take(model.joint_laws());
    take(model.wrench_laws());
    take(model.wheels());
  }
  /// The number counts what is of this kind, with a name or without.
  std::string operator()(const std::string& name, const char* kind, std::size_t index) {
    if (!name.empty()) { return name; }
    std::string own = fmt::format("{}-{}", kind, index + 1);
    while (!taken_.insert(own).second) { own += "-"; }
    return own;
  }

 private:
  std::set<std::string> taken_;
};

/// What constraints say of themselves, of one group.
void add_constraints(const Model& model, std::string_view group, FurtherColumns& to) {
  model.each([&](const auto& constraint, const ConstraintId& id) {
    for (const ConstraintQuantity& one : constraint::quantities(constraint)) {
      if (one.group != group) { continue; }
      const auto value = [id, value_now = one.value](const MechanismNow& now) {
        return with_constraint_now(now.model, now.y, now.scratch, id, value_now);
      };
      const std::string name = constraint.name + "." + one.symbol;
      if (one.is_vector) {
        to.add_vector(group, name, "space", one.unit, one.unit_name, one.meaning, value);
      } else {
        to.add_number(group, {name, one.unit, one.meaning}, [value](const MechanismNow& now) { return value(now).x; });
      }
    }
  });
}

void add_forces(const Model& model, FurtherColumns& to) {
  ForceNames name_of(model);
  add_constraints(model, "forces", to);
  for (std::size_t i = 0; i < model.joint_laws().size(); ++i) {
    const JointLaw& law = model.joint_laws()[i];
    const std::string name = name_of(law.name, "motor", i);
    to.add_on_coordinate(
        name, law.coordinate, "what " + name + " exerts on its coordinate",
        [i](const MechanismNow& now) { return coordinate_force(now.view(), now.model.joint_laws()[i]); });
  }
  const auto add_on_coordinates = [&](auto list, const char* kind) {
    for (std::size_t i = 0; i < (model.*list)().size(); ++i) {
      const auto& force = (model.*list)()[i];
      const std::string name = name_of(force.name, kind, i);
      to.add_on_coordinate(name, force.coordinate, "what " + name + " exerts on its coordinate",
                           [i, list](const MechanismNow& now) {
                             return coordinate_force(now.model, now.y, now.turns, (now.model.*list)()[i]);
                           });
    }
  };
  add_on_coordinates(&Model::joint_springs, "joint_spring");
  add_on_coordinates(&Model::joint_limits, "joint_stop");
  add_on_coordinates(&Model::joint_frictions, "joint_friction");
  for (std::size_t i = 0; i < model.springs().size(); ++i) {
    const std::string name = name_of(model.springs()[i].name, "spring", i);
    to.add_number("forces", {name + ".force_N", "N", "what pulls the points of " + name + " together"},
                  [i](const MechanismNow& now) { return spring_force(now.model, now.y, now.model.springs()[i]); });
  }
  for (std::size_t i = 0; i < model.bushings().size(); ++i) {
    const std::string name = name_of(model.bushings()[i].name, "bushing", i);
    to.add_wrench(name, name + " on its second body", "its point on it",
                  [i](const MechanismNow& now) { return bushing_force(now.model, now.y, now.model.bushings()[i]); });
  }
  for (std::size_t i = 0; i < model.drags().size(); ++i) {
    const std::string name = name_of(model.drags()[i].name, "drag", i);
    to.add_vector("forces", name + ".f", "space", "N", "N", "force of " + name,
                  [i](const MechanismNow& now) { return drag_force_N(now.model, now.y, now.model.drags()[i]); });
  }
  for (std::size_t i = 0; i < model.wrenches().size(); ++i) {
    const std::string name = name_of(model.wrenches()[i].name, "wrench", i);
    to.add_wrench(name, name, "its point",
                  [i](const MechanismNow& now) { return wrench_force(now.y, now.model.wrenches()[i]); });
  }
  // a table with a force and a moment makes two laws: their sum
  const std::vector<WrenchLaw>& laws = model.wrench_laws();
  std::map<std::string_view, std::size_t> count;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    std::size_t end = i + 1;
    while (end < laws.size() && laws[end].goes_on) { ++end; }
    const std::string name = name_of(laws[i].name, std::string(laws[i].kind).c_str(), count[laws[i].kind]++);
    to.add_wrench(name, name, "its point", [i, end](const MechanismNow& now) {
      Pair sum{};
      for (std::size_t k = i; k < end; ++k) { sum += wrench_force(now.view(), now.model.wrench_laws()[k]); }
      return sum;
    });
    i = end - 1;
  }
  for (std::size_t w = 0; w < model.wheel_count(); ++w) {
    const std::string& name = model.wheels()[w].name;
    to.add_vector("forces", name + ".m", "space", "N m", "Nm", "moment of wheel " + name + " on the rest of its body",
                  [w](const MechanismNow& now) {
                    const Vec3<double> m_B = wheel_moment_B(now.view(), w, wheel_torque(now.view(), w));
                    return rotate(Model::view(now.y, now.model.wheels()[w].body).e_NB, m_B);
                  });
  }
}

void add_multipliers(const Model& model, JointJacobian jacobian, FurtherColumns& to) {
  for (const EulerForm& form : euler_forms()) {
    ColumnGroup<MechanismNow> one{
        "multipliers", {}, [&form, jacobian](const MechanismNow& now, std::span<double> out) {
          std::vector<double> y(now.y.begin(), now.y.end());
          for (BodyId b = 0; b < static_cast<BodyId>(now.model.body_count()); ++b) {
            BodyView body = Model::view(y, b);
            body.e_NB = normalized(body.e_NB);
            Model::set(y, b, body);
          }
          const EulerSolution solution = euler_solution(now.model, now.t, y, form, jacobian, now.turns);
          std::copy(solution.norm_multipliers.begin(), solution.norm_multipliers.end(), out.begin());
        }};
    for (const BodyDescription& body : model.bodies()) {
      one.columns.push_back(
          {fmt::format("{}.norm_multiplier_{}_J", body.name, form.name), "J",
           fmt::format("multiplier of the norm constraint of {} under form {}", body.name, form.name)});
    }
    to.groups.push_back(std::move(one));
  }
}

}  // namespace

std::vector<Column> mechanism_columns(const Model& model) {
  std::vector<Column> columns{{"t_s", "s", "time"}};
  for (const BodyDescription& body : model.bodies()) {
    const std::string dot = body.name + ".";
    for (const char* name : {"e0", "e1", "e2", "e3"}) {
      columns.push_back({dot + name, "1", "Euler parameter of " + body.name + " to space, scalar first"});
    }
    add_vector(columns, dot + "w", "body", "rad/s", "rad_s", "angular velocity of " + body.name);
    add_vector(columns, dot + "r", "space", "m", "m", "position of the mass centre of " + body.name);
    add_vector(columns, dot + "v", "space", "m/s", "m_s", "velocity of the mass centre of " + body.name);
  }
  for (const JointDescription& joint : model.joints()) {
    const std::string dot = joint.name + ".";
    for (const Coordinate coordinate : joint.kind->coordinates) {
      const std::string name(to_text(coordinate));
      const std::string unit = is_slide(coordinate) ? "m" : "rad";
      columns.push_back({dot + name + "_" + unit, unit, name + " of joint " + joint.name});
      columns.push_back({dot + name + "_" + unit + "_s", unit + "/s", "rate of it"});
    }
    add_vector(columns, dot + "f", "space", "N", "N", "force of joint " + joint.name + " on its second body");
    add_vector(columns, dot + "m", "space", "N m", "Nm",
               "moment of joint " + joint.name + " on its second body about the joint's point on it");
  }
  columns.push_back({"kinetic_J", "J", "kinetic energy"});
  columns.push_back({"potential_J", "J", "potential energy of gravity, springs, stops and bushings"});
  columns.push_back({"energy_balance_J", "J", "total energy less work supplied plus work dissipated, less its start"});
  columns.push_back({"work_supplied_J", "J", "work of motors, drivers and forces"});
  columns.push_back({"work_dissipated_J", "J", "work lost in dampers, friction and drag"});
  columns.push_back({"residual_position_m", "m", "how far joints are open"});
  columns.push_back({"residual_velocity_m_s", "m/s", "how fast joints open"});
  columns.push_back({"residual_acceleration_m_s2", "m/s2", "what the accelerations leave of the joints' equations"});
  for (const ReactionWheel& wheel : model.wheels()) { add_wheel(columns, wheel.name); }
  return columns;
}

std::string unwrapped_column(const std::string& joint, Coordinate coordinate) {
  return fmt::format("{}.{}_unwrapped_rad", joint, to_text(coordinate));
}

double coordinate_acceleration(const Model& model, std::span<const double> y, const Scratch& scratch, int joint,
                               Coordinate coordinate) {
  const JointDescription& j = model.joints()[at(joint)];
  const auto [first, second] = model.ends(y, joint);
  const Pair a1 = acceleration(model, scratch, j.first);
  const Pair a2 = acceleration(model, scratch, j.second);
  if (has_row(coordinate)) {
    const Row row = coordinate_row(coordinate, first, second);
    return dot(row.first, a1) + dot(row.second, a2) - row.gamma;
  }
  // d/dt of (ω₂ − ω₁) in components of the first frame
  const Vec3<double> rate = a2.ang - a1.ang - cross(first.w, second.w);
  const std::size_t k = coordinate == Coordinate::rotation_x ? 0 : coordinate == Coordinate::rotation_y ? 1 : 2;
  return dot(first.axis(k), rate);
}

std::vector<ColumnGroup<MechanismNow>> further_columns(const Model& model, const std::vector<TrackedPoint>& points,
                                                       JointJacobian jacobian) {
  FurtherColumns further;
  add_bodies(model, further);
  add_joints(model, further);
  add_forces(model, further);
  add_constraints(model, "contacts", further);
  add_multipliers(model, jacobian, further);
  add_points(model, points, further);
  return std::move(further.groups);
}

}  // namespace polhode::simulation
