#include "polhode/multibody/linearised_mechanism.h"

#include "polhode/core/index.h"
#include "polhode/multibody/acting.h"
#include "polhode/multibody/derivatives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace polhode {
namespace {

using S = ByBody;
/// Bodies first, then wheels: what y and the velocities are made of.
using Part = std::size_t;

std::vector<std::size_t> bodies_of(const ModelConstraint& constraint) {
  std::vector<std::size_t> bodies;
  for (const ConstraintEnd& end : constraint.ends) {
    if (end.body >= 0) { bodies.push_back(at(end.body)); }
  }
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  return bodies;
}

/// What the parts of a mechanism are in y and among velocities.
struct Parts {
  std::size_t bodies;
  std::size_t wheels;

  std::size_t count() const { return bodies + wheels; }
  bool is_wheel(Part p) const { return p >= bodies; }
  std::size_t first_entry(Part p) const { return is_wheel(p) ? 13 * bodies + (p - bodies) : 13 * p; }
  std::size_t entries(Part p) const { return is_wheel(p) ? 1 : 13; }
  std::size_t first_velocity(Part p) const { return is_wheel(p) ? 6 * bodies + (p - bodies) : 6 * p; }
  std::size_t velocities(Part p) const { return is_wheel(p) ? 1 : 6; }
};

/// One element: which parts it acts on, and which ones it looks at.
struct Element {
  std::vector<Part> targets;
  std::vector<Part> seeds;
  std::vector<std::size_t> within;  ///< by target, then seed: where its entries begin in rows of forces()
};
struct Rows {
  std::vector<std::size_t> bodies;
  std::vector<std::size_t> within;  ///< by body pushed, then body moved, as in Element
  std::vector<std::size_t> reach;   ///< by body: where its first row stands in rows of reach()
};

/// Who takes part in an element.
class Participants {
 public:
  explicit Participants(const Model& model) : model_(&model) {}

  Element of(const Wrench& one) const { return among({one.body}); }
  Element of(const Spring& one) const { return among({one.first, one.second}); }
  Element of(const Bushing& one) const { return among({one.first, one.second}); }
  Element of(const Drag& one) const { return among({one.body}); }
  Element of(const CentralGravity&, BodyId body) const { return among({body}); }
  template <class Force>
    requires requires(const Force& force) { force_on(force, 0.0, 0.0); }
  Element of(const Force& one) const {
    return of_joint(one.joint);
  }
  Element of(const JointLaw& law) const { return looking(of_joint(law.joint), law.reads); }
  Element of(const WrenchLaw& law) const { return looking(among({law.body}), law.reads); }
  Element of(std::size_t wheel) const {
    const ReactionWheel& own = model_->wheels()[wheel];
    Element element = among({own.body});
    element.targets.push_back(model_->body_count() + wheel);
    element.seeds = element.targets;
    return own.command ? looking(std::move(element), own.reads) : element;
  }
  Element of(const ForceLaw&) const {
    Element element = looking({}, {});
    for (std::size_t b = 0; b < model_->body_count(); ++b) { element.targets.push_back(b); }
    return element;
  }

 private:
  Element among(std::initializer_list<BodyId> bodies) const {
    Element element;
    for (const BodyId body : bodies) {
      if (body >= 0) { element.targets.push_back(at(body)); }
    }
    sort(element.targets);
    element.seeds = element.targets;
    return element;
  }
  Element of_joint(int joint) const {
    const JointDescription& one = model_->joints()[at(joint)];
    return among({one.first, one.second});
  }
  Element looking(Element element, const std::optional<Reads>& reads) const {
    const std::size_t bodies = model_->body_count();
    if (!reads) {
      element.seeds.clear();
      for (Part p = 0; p < bodies + model_->wheel_count(); ++p) { element.seeds.push_back(p); }
      return element;
    }
    const auto add = [&](BodyId body) {
      if (body >= 0) { element.seeds.push_back(at(body)); }
    };
    for (const BodyId body : reads->bodies) { add(body); }
    for (const int joint : reads->joints) {
      add(model_->joints()[at(joint)].first);
      add(model_->joints()[at(joint)].second);
    }
    for (const std::size_t wheel : reads->wheels) {
      add(model_->wheels()[wheel].body);
      element.seeds.push_back(bodies + wheel);
    }
    sort(element.seeds);
    return element;
  }
  static void sort(std::vector<Part>& parts) {
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  }

  const Model* model_;
};

/// Calls use(elements...) for everything that acts, laws and wheels included.
template <class Use>
void each_that_acts(const Model& model, const Use& use) {
  acting::each_element(model, use);
  for (const JointLaw& law : model.joint_laws()) { use(law); }
  for (const WrenchLaw& law : model.wrench_laws()) { use(law); }
  for (std::size_t wheel = 0; wheel < model.wheel_count(); ++wheel) { use(wheel); }
}

class LinearisedMechanism final : public LinearisedConstraints<double> {
 public:
  LinearisedMechanism(const Model& model, std::span<const double> turns)
      : model_(&model),
        turns_(turns),
        parts_{model.body_count(), model.wheel_count()},
        y_(model.state_size()),
        R_(model.elimination().nodes.size()),
        w_(R_.size()),
        applied_(R_.size()),
        wheel_rates_(model.wheel_count()),
        is_exact_(laws_without_derivatives(model).empty()) {
    for (std::size_t k = 0; k < 3; ++k) { R_[0](k, k) = S(1); }
    find_orders();
    find_elements();
    find_patterns();
  }

  bool at(const double& t, std::span<const double> y, std::span<const double> lambda,
          std::span<const double> vdot) override {
    t_ = t;
    lambda_ = lambda;
    vdot_ = vdot;
    for (std::size_t i = 0; i < y_.size(); ++i) { y_[i] = S(y[i]); }
    for (std::size_t b = 0; b < parts_.bodies; ++b) { read(b); }
    clear();
    differentiate_motion();
    differentiate_forces();
    differentiate_rows();
    const auto is_finite = [](const SparseRows<double>& m) {
      return std::all_of(m.values.begin(), m.values.end(), [](double x) { return std::isfinite(x); });
    };
    return is_finite(forces_) && is_finite(C_) && is_finite(speeds_) && is_finite(positions_) && is_finite(rates_) &&
           (vdot.empty() || is_finite(accelerations_));
  }

  const SparseRows<double>& mass() const override { return mass_; }
  const SparseRows<double>& C() const override { return C_; }
  const SparseRows<double>& reach() const override { return reach_; }
  const SparseRows<double>& forces() const override { return forces_; }
  const SparseRows<double>& positions() const override { return positions_; }
  const SparseRows<double>& speeds() const override { return speeds_; }
  const SparseRows<double>& accelerations() const override { return accelerations_; }
  const SparseRows<double>& rates() const override { return rates_; }
  const SparseRows<double>& rates_by_velocity() const override { return rates_by_velocity_; }
  const SparseRows<double>& moves() const override { return moves_; }
  void move(std::span<const double> x, std::span<const double> a) override {
    for (std::size_t b = 0; b < parts_.bodies; ++b) {
      Vec3<S> turn;
      for (std::size_t k = 0; k < 3; ++k) {
        turn[k] = S(a[6 * b + k]);
        turn[k].derivative[k] = 1;
      }
      const EulerParameters<double> e = Model::view(x, static_cast<BodyId>(b)).e_NB;
      const EulerParameters<S> moved =
          normalized(EulerParameters<S>{S(e.e0), {S(e.ev.x), S(e.ev.y), S(e.ev.z)}} * exp(turn));
      for (std::size_t k = 0; k < 3; ++k) {
        moves_.values[moves_.starts[13 * b + k]] = 1;
        moves_.values[moves_.starts[13 * b + 3] + k] = moved.e0.derivative[k];
        for (std::size_t i = 0; i < 3; ++i) {
          moves_.values[moves_.starts[13 * b + 4 + i] + k] = moved.ev[i].derivative[k];
        }
      }
    }
  }

  std::span<const std::size_t> velocity_entries() const override { return velocity_entries_; }
  std::span<const std::size_t> block_of_entry() const override { return block_of_entry_; }
  std::span<const std::size_t> block_of_row() const override { return block_of_row_; }
  bool is_exact() const override { return is_exact_; }

 private:
  /// The state with derivatives, as elements see it.
  struct View {
    using Number = S;
    const Model& model;
    double t;
    std::span<const S> y;
    std::span<const double> turns;
    LinearisedMechanism& own;
    PowerOf<S> power{};
    const Mat3<S>& R(std::size_t node) const { return own.R_[node]; }
    const Vec3<S>& w(std::size_t node) const { return own.w_[node]; }
    PairOf<S>& applied(std::size_t node) { return own.applied_[node]; }
    PairOf<S>& supplied(BodyId body) { return own.applied_[acting::node_of(model, body)]; }
    S& wheel_rate(std::size_t wheel) { return own.wheel_rates_[wheel]; }
    void at_point(std::size_t, const Vec3<S>&, const Vec3<S>&) {}
  };

  std::size_t node_of(std::size_t body) const { return acting::node_of(*model_, static_cast<BodyId>(body)); }

  // ---- once a model --------------------------------------------------------------------------------------------

  /// Bodies from the leaves to ground, a joint of the tree with its outer body; each loop ahead of the body on which it
  /// closes (MEC-44).
  void find_orders() {
    const EliminationOrder& elimination = model_->elimination();
    const std::size_t nodes = elimination.nodes.size();
    std::vector<std::vector<std::size_t>> closing(nodes);
    for (std::size_t c = 0; c < elimination.closures.size(); ++c) {
      closing[polhode::at(elimination.closures[c].top)].push_back(c);
    }
    std::vector<std::size_t> block_of_node(nodes);
    std::vector<std::size_t> block_of_closure(elimination.closures.size());
    std::size_t block = 0;
    for (std::size_t i = nodes; i-- > 0;) {
      for (const std::size_t c : closing[i]) { block_of_closure[c] = block++; }
      block_of_node[i] = block++;
    }
    velocity_entries_.resize(6 * parts_.bodies + parts_.wheels);
    block_of_entry_.resize(model_->state_size());
    for (std::size_t b = 0; b < parts_.bodies; ++b) {
      for (std::size_t k = 0; k < 3; ++k) {
        velocity_entries_[6 * b + k] = 13 * b + 10 + k;
        velocity_entries_[6 * b + 3 + k] = 13 * b + 7 + k;
      }
      for (std::size_t k = 0; k < 13; ++k) { block_of_entry_[13 * b + k] = block_of_node[node_of(b)]; }
    }
    for (std::size_t w = 0; w < parts_.wheels; ++w) {
      const Part wheel = parts_.bodies + w;
      velocity_entries_[parts_.first_velocity(wheel)] = parts_.first_entry(wheel);
      block_of_entry_[parts_.first_entry(wheel)] = block_of_node[node_of(polhode::at(model_->wheels()[w].body))];
    }
    std::vector<std::size_t> node_of_joint(model_->joint_count(), 0);
    for (std::size_t i = 1; i < nodes; ++i) {
      if (elimination.nodes[i].joint >= 0) { node_of_joint[polhode::at(elimination.nodes[i].joint)] = i; }
    }
    for (std::size_t c = 0; c < model_->constraints().size(); ++c) {
      const int closure = elimination.closure_of[c];
      const std::size_t own = closure < 0 ? block_of_node[node_of_joint[polhode::at(model_->constraints()[c].id.index)]]
                                          : block_of_closure[polhode::at(closure)];
      block_of_row_.insert(block_of_row_.end(), polhode::at(model_->constraints()[c].rows), own);
    }
  }

  void find_elements() {
    const Participants participants(*model_);
    each_that_acts(*model_, [&](const auto&... one) { elements_.push_back(participants.of(one...)); });
    for (const ForceLaw& law : model_->force_laws()) { elements_.push_back(participants.of(law)); }
    for (const ModelConstraint& constraint : model_->constraints()) {
      rows_.push_back({bodies_of(constraint), {}, {}});
    }
  }

  /// Rows of velocities by columns of y, from pairs of parts; `within` is where a part begins in the rows of another.
  void find_patterns() {
    // forces
    std::vector<std::vector<Part>> seen(parts_.count());
    for (Part p = 0; p < parts_.count(); ++p) { seen[p].push_back(p); }
    const auto note = [&](std::span<const std::size_t> targets, std::span<const std::size_t> seeds) {
      for (const Part target : targets) { seen[target].insert(seen[target].end(), seeds.begin(), seeds.end()); }
    };
    for (const Element& element : elements_) { note(element.targets, element.seeds); }
    for (const Rows& rows : rows_) { note(rows.bodies, rows.bodies); }
    std::vector<std::vector<std::size_t>> place(parts_.count());
    forces_.column_count = model_->state_size();
    for (Part p = 0; p < parts_.count(); ++p) {
      std::vector<Part>& from = seen[p];
      std::sort(from.begin(), from.end());
      from.erase(std::unique(from.begin(), from.end()), from.end());
      std::size_t width = 0;
      for (const Part q : from) {
        place[p].push_back(width);
        width += parts_.entries(q);
      }
      for (std::size_t k = 0; k < parts_.velocities(p); ++k) {
        for (const Part q : from) {
          for (std::size_t c = 0; c < parts_.entries(q); ++c) { forces_.columns.push_back(parts_.first_entry(q) + c); }
        }
        forces_.starts.push_back(forces_.columns.size());
      }
    }
    const auto find = [&](Part target, Part seed) {
      const auto found = std::lower_bound(seen[target].begin(), seen[target].end(), seed);
      return place[target][static_cast<std::size_t>(found - seen[target].begin())];
    };
    own_place_.resize(parts_.bodies);
    for (Part p = 0; p < parts_.bodies; ++p) { own_place_[p] = find(p, p); }
    const auto find_all = [&](std::span<const Part> targets, std::span<const Part> seeds) {
      std::vector<std::size_t> within;
      for (const Part target : targets) {
        for (const Part seed : seeds) { within.push_back(find(target, seed)); }
      }
      return within;
    };
    for (Element& element : elements_) { element.within = find_all(element.targets, element.seeds); }
    for (Rows& rows : rows_) { rows.within = find_all(rows.bodies, rows.bodies); }
    forces_.values.resize(forces_.columns.size());
    // rows of constraints
    C_ = empty_constraint_rows(*model_);
    positions_.column_count = model_->state_size();
    std::vector<std::vector<std::size_t>> rows_of_body(parts_.bodies);
    std::size_t row = 0;
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      for (const std::size_t b : rows_[c].bodies) { rows_[c].reach.push_back(rows_of_body[b].size()); }
      for (int r = 0; r < model_->constraints()[c].rows; ++r, ++row) {
        for (const std::size_t b : rows_[c].bodies) {
          rows_of_body[b].push_back(row);
          for (std::size_t k = 0; k < 13; ++k) { positions_.columns.push_back(13 * b + k); }
        }
        positions_.starts.push_back(positions_.columns.size());
      }
    }
    positions_.values.resize(positions_.columns.size());
    speeds_ = positions_;
    accelerations_ = positions_;
    reach_.column_count = model_->row_count();
    mass_.column_count = velocity_entries_.size();
    rates_by_velocity_.column_count = velocity_entries_.size();
    rates_.column_count = model_->state_size();
    const auto end_row = [](SparseRows<double>& m) { m.starts.push_back(m.columns.size()); };
    for (std::size_t b = 0; b < parts_.bodies; ++b) {
      for (std::size_t k = 0; k < 6; ++k) {
        reach_.columns.insert(reach_.columns.end(), rows_of_body[b].begin(), rows_of_body[b].end());
        end_row(reach_);
        if (k < 3) {
          for (std::size_t j = 0; j < 3; ++j) { mass_.columns.push_back(6 * b + j); }
        } else {
          mass_.columns.push_back(6 * b + k);
        }
        end_row(mass_);
      }
      for (std::size_t k = 0; k < 13; ++k) {
        if (k < 3) {
          rates_.columns.push_back(13 * b + 7 + k);
          rates_by_velocity_.columns.push_back(6 * b + 3 + k);
        } else if (k < 7) {
          for (std::size_t j = 0; j < 4; ++j) { rates_.columns.push_back(13 * b + 3 + j); }
          for (std::size_t j = 0; j < 3; ++j) { rates_.columns.push_back(13 * b + 10 + j); }
          for (std::size_t j = 0; j < 3; ++j) { rates_by_velocity_.columns.push_back(6 * b + j); }
        }
        end_row(rates_);
        end_row(rates_by_velocity_);
      }
    }
    for (std::size_t w = 0; w < parts_.wheels; ++w) {
      end_row(reach_);
      mass_.columns.push_back(6 * parts_.bodies + w);
      end_row(mass_);
      end_row(rates_);
      end_row(rates_by_velocity_);
    }
    for (SparseRows<double>* m : {&reach_, &mass_, &rates_, &rates_by_velocity_}) {
      m->values.resize(m->columns.size());
    }
    moves_ = rates_by_velocity_;
    // M does not change
    for (std::size_t b = 0; b < parts_.bodies; ++b) {
      const Mat3<double>& J_B = model_->carrier_J_B(static_cast<BodyId>(b));
      for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t j = 0; j < 3; ++j) { mass_.values[mass_.starts[6 * b + k] + j] = J_B(k, j); }
        mass_.values[mass_.starts[6 * b + 3 + k]] = model_->bodies()[b].mass.mass;
      }
      inverse_J_B_.push_back(inverse(J_B));
    }
    for (std::size_t w = 0; w < parts_.wheels; ++w) {
      mass_.values[mass_.starts[6 * parts_.bodies + w]] = model_->wheels()[w].inertia;
    }
  }

  // ---- at a state ----------------------------------------------------------------------------------------------

  void clear() {
    for (SparseRows<double>* m : {&forces_, &C_, &positions_, &speeds_, &accelerations_, &reach_}) {
      std::fill(m->values.begin(), m->values.end(), 0.0);
    }
    std::fill(applied_.begin(), applied_.end(), PairOf<S>{});
    std::fill(wheel_rates_.begin(), wheel_rates_.end(), S{});
  }
  /// R and ω of a body from y_.
  void read(std::size_t body) {
    const S* s = y_.data() + 13 * body;
    const std::size_t node = node_of(body);
    R_[node] = rotation_matrix(EulerParameters<S>{s[3], {s[4], s[5], s[6]}});
    w_[node] = R_[node] * Vec3<S>{s[10], s[11], s[12]};
  }
  /// Entry k of y, of this part, moves along direction k; or stands still again.
  void seed(Part part, double derivative) {
    for (std::size_t k = 0; k < parts_.entries(part); ++k) {
      y_[parts_.first_entry(part) + k].derivative[k] = derivative;
    }
    if (!parts_.is_wheel(part)) { read(part); }
  }
  Vec3<double> three_of_y(std::size_t i) const { return {y_[i].value, y_[i + 1].value, y_[i + 2].value}; }

  /// forces() += factor × the derivative of a force on a part
  void add_force(Part target, std::size_t within, std::size_t lanes, const Vec3<S>& moment_B, const Vec3<S>& force_N,
                 double factor) {
    for (std::size_t k = 0; k < 6; ++k) {
      const S& from = k < 3 ? moment_B[k] : force_N[k - 3];
      double* to = forces_.values.data() + forces_.starts[6 * target + k] + within;
      for (std::size_t lane = 0; lane < lanes; ++lane) { to[lane] += factor * from.derivative[lane]; }
    }
  }

  /// ω' × J' ω', and how coordinates move.
  void differentiate_motion() {
    for (std::size_t b = 0; b < parts_.bodies; ++b) {
      const Mat3<double>& J_B = model_->carrier_J_B(static_cast<BodyId>(b));
      const Vec3<double> w_B = three_of_y(13 * b + 10);
      const EulerParameters<double> e{y_[13 * b + 3].value, three_of_y(13 * b + 4)};
      for (std::size_t k = 0; k < 3; ++k) {
        const Vec3<double> axis = axis_vector<double>(k);
        const Vec3<double> change = cross(axis, J_B * w_B) + cross(w_B, J_B * axis);
        for (std::size_t i = 0; i < 3; ++i) {
          forces_.values[forces_.starts[6 * b + i] + own_place_[b] + 10 + k] += change[i];
        }
        const EulerParameters<double> by_w = rate_from_body(e, axis);
        rates_.values[rates_.starts[13 * b + k]] = 1;
        rates_by_velocity_.values[rates_by_velocity_.starts[13 * b + k]] = 1;
        for (std::size_t i = 0; i < 4; ++i) {
          const double value = i == 0 ? by_w.e0 : by_w.ev[i - 1];
          rates_.values[rates_.starts[13 * b + 3 + i] + 4 + k] = value;
          rates_by_velocity_.values[rates_by_velocity_.starts[13 * b + 3 + i] + k] = value;
        }
      }
      for (std::size_t k = 0; k < 4; ++k) {
        EulerParameters<double> unit{k == 0 ? 1.0 : 0.0, {}};
        if (k > 0) { unit.ev[k - 1] = 1; }
        const EulerParameters<double> by_e = rate_from_body(unit, w_B);
        for (std::size_t i = 0; i < 4; ++i) {
          rates_.values[rates_.starts[13 * b + 3 + i] + k] = i == 0 ? by_e.e0 : by_e.ev[i - 1];
        }
      }
    }
  }

  /// −∂f/∂y of what one element does: `act` adds to applied_ and wheel_rates_.
  template <class Act>
  void differentiate(const Element& element, const Act& act) {
    for (std::size_t s = 0; s < element.seeds.size(); ++s) {
      seed(element.seeds[s], 1);
      act();
      for (std::size_t n = 0; n < element.targets.size(); ++n) {
        const Part target = element.targets[n];
        const std::size_t within = element.within[n * element.seeds.size() + s];
        const std::size_t lanes = parts_.entries(element.seeds[s]);
        if (parts_.is_wheel(target)) {
          const std::size_t wheel = target - parts_.bodies;
          double* to = forces_.values.data() + forces_.starts[parts_.first_velocity(target)] + within;
          for (std::size_t lane = 0; lane < lanes; ++lane) {
            to[lane] -= model_->wheels()[wheel].inertia * wheel_rates_[wheel].derivative[lane];
          }
          wheel_rates_[wheel] = {};
          continue;
        }
        PairOf<S>& applied = applied_[node_of(target)];
        add_force(target, within, lanes, transpose_times(R_[node_of(target)], applied.ang), applied.lin, -1);
        applied = {};
      }
      seed(element.seeds[s], 0);
    }
  }
  void differentiate_forces() {
    std::size_t next = 0;
    View view{*model_, t_, y_, turns_, *this};
    each_that_acts(*model_, [&](const auto&... one) {
      differentiate(elements_[next++], [&] { acting::act(view, one...); });
      applied_[0] = {};
    });
    for (const ForceLaw& law : model_->force_laws()) {
      differentiate(elements_[next++], [&] { difference(law); });
    }
  }
  /// Laws over all bodies are code for double alone.
  void difference(const ForceLaw& law) {
    const std::span<const S> y(y_);
    for (std::size_t lane = 0; lane < kBodyDirections; ++lane) {
      const double h = law_difference::step(y, lane);
      if (h == 0) { continue; }
      for (const double sign : {-1.0, 1.0}) {
        wrench_.assign(parts_.bodies, Pair{});
        law_difference::shift(y, lane, sign * h, shifted_);
        law({*model_, t_, shifted_, turns_}, wrench_);
        for (std::size_t b = 0; b < parts_.bodies; ++b) {
          PairOf<S>& to = applied_[node_of(b)];
          for (std::size_t c = 0; c < 3; ++c) {
            to.ang[c].value = wrench_[b].ang[c];
            to.lin[c].value = wrench_[b].lin[c];
            to.ang[c].derivative[lane] += sign * wrench_[b].ang[c] / (2 * h);
            to.lin[c].derivative[lane] += sign * wrench_[b].lin[c] / (2 * h);
          }
        }
      }
    }
  }

  End<S> end_at(const ConstraintEnd& frame) const {
    if (frame.body < 0) { return {{}, {}, {}, as<S>(frame.lever_B), as<S>(frame.axes_B)}; }
    const std::size_t node = node_of(polhode::at(frame.body));
    const S* s = y_.data() + 13 * polhode::at(frame.body);
    return {{s[0], s[1], s[2]},
            {s[7], s[8], s[9]},
            w_[node],
            R_[node] * as<S>(frame.lever_B),
            R_[node] * as<S>(frame.axes_B)};
  }
  Vec3<double> rates_of(std::size_t first) const {
    return vdot_.empty() ? Vec3<double>{} : Vec3<double>{vdot_[first], vdot_[first + 1], vdot_[first + 2]};
  }

  /// Rows of constraints, their derivatives, and that of Cᵀ λ.
  void differentiate_rows() {
    std::array<ConstraintRow<S>, kMostRows> own;
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      const ModelConstraint& constraint = model_->constraints()[c];
      const std::vector<std::size_t>& bodies = rows_[c].bodies;
      const auto first_row = polhode::at(constraint.first_row);
      for (std::size_t moved = 0; moved < bodies.size(); ++moved) {
        seed(bodies[moved], 1);
        std::fill(own.begin(), own.begin() + constraint.rows, ConstraintRow<S>{});
        model_->rows(constraint.id, t_, [&](std::size_t s) { return end_at(constraint.ends[s]); }, own.data());
        for (std::size_t r = 0; r < polhode::at(constraint.rows); ++r) {
          const ConstraintRow<S>& row = own[r];
          S speed = -row.rate;
          S acceleration = -row.gamma;
          for (std::size_t s = 0; s < constraint.ends.size(); ++s) {
            const BodyId body = constraint.ends[s].body;
            if (body < 0) { continue; }
            const auto b = polhode::at(body);
            const auto pushed =
                static_cast<std::size_t>(std::lower_bound(bodies.begin(), bodies.end(), b) - bodies.begin());
            const std::size_t node = node_of(b);
            const Vec3<S> v{y_[13 * b + 7], y_[13 * b + 8], y_[13 * b + 9]};
            speed += dot(row.sides[s], {w_[node], v});
            if (!vdot_.empty()) {
              acceleration += dot(row.sides[s], {R_[node] * as<S>(rates_of(6 * b)), as<S>(rates_of(6 * b + 3))});
            }
            const Vec3<S> moment_B = transpose_times(R_[node], row.sides[s].ang);
            if (moved == 0) {
              double* to = C_.values.data() + C_.starts[first_row + r] + 6 * pushed;
              for (std::size_t k = 0; k < 3; ++k) {
                to[k] += moment_B[k].value;
                to[3 + k] += row.sides[s].lin[k].value;
              }
            }
            if (!lambda_.empty()) {
              add_force(b, rows_[c].within[pushed * bodies.size() + moved], 13, moment_B, row.sides[s].lin,
                        lambda_[first_row + r]);
            }
          }
          const bool on_positions =
              model_->with(constraint.id, [&](const auto& one) { return constraint::on_positions(one, r); });
          const std::size_t begin = positions_.starts[first_row + r] + 13 * moved;
          for (std::size_t k = 0; k < 13; ++k) {
            positions_.values[begin + k] = on_positions ? row.value.derivative[k] : 0;
            speeds_.values[begin + k] = speed.derivative[k];
            accelerations_.values[begin + k] = acceleration.derivative[k];
          }
        }
        seed(bodies[moved], 0);
      }
      // M⁻¹ Cᵀ
      for (std::size_t n = 0; n < bodies.size(); ++n) {
        for (std::size_t r = 0; r < polhode::at(constraint.rows); ++r) {
          const double* from = C_.values.data() + C_.starts[first_row + r] + 6 * n;
          const Vec3<double> turn = inverse_J_B_[bodies[n]] * Vec3<double>{from[0], from[1], from[2]};
          for (std::size_t k = 0; k < 6; ++k) {
            reach_.values[reach_.starts[6 * bodies[n] + k] + rows_[c].reach[n] + r] =
                k < 3 ? turn[k] : from[k] / model_->bodies()[bodies[n]].mass.mass;
          }
        }
      }
    }
  }

  const Model* model_;
  std::span<const double> turns_;
  Parts parts_;
  std::vector<S> y_;
  std::vector<Mat3<S>> R_;  ///< by node
  std::vector<Vec3<S>> w_;
  std::vector<PairOf<S>> applied_;
  std::vector<S> wheel_rates_;
  bool is_exact_;
  std::vector<Element> elements_;
  std::vector<Rows> rows_;  ///< by constraint
  std::vector<std::size_t> own_place_;
  std::vector<Mat3<double>> inverse_J_B_;
  std::vector<std::size_t> velocity_entries_, block_of_entry_, block_of_row_;
  SparseRows<double> mass_, C_, reach_, forces_, positions_, speeds_, accelerations_, rates_, rates_by_velocity_,
      moves_;
  std::vector<Pair> wrench_;
  std::vector<double> shifted_;
  double t_ = 0;
  std::span<const double> lambda_;
  std::span<const double> vdot_;
};

}  // namespace

SparseRows<double> empty_constraint_rows(const Model& model) {
  SparseRows<double> C;
  C.column_count = 6 * model.body_count() + model.wheel_count();
  for (const ModelConstraint& constraint : model.constraints()) {
    const std::vector<std::size_t> bodies = bodies_of(constraint);
    for (int r = 0; r < constraint.rows; ++r) {
      for (const std::size_t b : bodies) {
        for (std::size_t k = 0; k < 6; ++k) { C.columns.push_back(6 * b + k); }
      }
      C.starts.push_back(C.columns.size());
    }
  }
  C.values.resize(C.columns.size());
  return C;
}

std::unique_ptr<LinearisedConstraints<double>> linearised_mechanism(const Model& model, std::span<const double> turns) {
  return std::make_unique<LinearisedMechanism>(model, turns);
}

}  // namespace polhode
