#include "polhode/catalog/conventions.h"

#include "polhode/catalog/representation_support.h"
#include "polhode/core/refuse.h"
#include "polhode/rotation/euler_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace polhode::catalog {
namespace {

std::vector<Column> reversed(std::vector<Column> columns) {
  std::reverse(columns.begin(), columns.end());
  return columns;
}

/// Three numbers, written in reverse order.
std::array<double, 3> reversed(std::span<const double> x) { return {x[2], x[1], x[0]}; }

/// The same three numbers, last first.
class LastFirst final : public Representation {
 public:
  LastFirst(std::string name, RepresentationPtr inner)
      : Representation(std::move(name), reversed(inner->columns())), inner_(std::move(inner)) {}

  Reading read(std::span<const double> x, Noise noise) const override { return inner_->read(reversed(x), noise); }
  void write(const EulerParameters<double>& e_NB, std::span<double> x) const override {
    inner_->write(e_NB, x);
    std::reverse(x.begin(), x.end());
  }
  RateReading read_rates(const EulerParameters<double>& e_NB, std::span<const double> x, std::span<const double> xdot,
                         Noise noise) const override {
    return inner_->read_rates(e_NB, reversed(x), reversed(xdot), noise);
  }
  void write_rates(const EulerParameters<double>& e_NB, const BodyVector<double>& w, std::span<const double> x,
                   std::span<double> xdot) const override {
    inner_->write_rates(e_NB, w, reversed(x), xdot);
    std::reverse(xdot.begin(), xdot.end());
  }
  RateReading read_accelerations(const EulerParameters<double>& e_NB, const BodyVector<double>& w,
                                 std::span<const double> x, std::span<const double> xdot, std::span<const double> xddot,
                                 Noise noise) const override {
    return inner_->read_accelerations(e_NB, w, reversed(x), reversed(xdot), reversed(xddot), noise);
  }
  void write_accelerations(const AttitudeMotion<double>& motion, std::span<const double> x,
                           std::span<const double> xdot, std::span<double> xddot) const override {
    inner_->write_accelerations(motion, reversed(x), reversed(xdot), xddot);
    std::reverse(xddot.begin(), xddot.end());
  }
  Conditioning<double> conditioning(std::span<const double> x) const override {
    return inner_->conditioning(reversed(x));
  }

 private:
  RepresentationPtr inner_;
};

/// Our `rep` under the name the user wrote, turned round where the tool means the inverse.
RepresentationPtr with_sense(Sense sense, std::string name, std::string_view rep) {
  if (sense == Sense::space_to_body) { return inverse_of(std::move(name), representation(rep)); }
  return representation(rep, std::move(name));
}

/// What a tool writes, in words: "quaternion matrix euler axis_angle".
std::string written_by(const Convention& tool) {
  std::string list;
  const auto add = [&](bool writes, std::string_view what) {
    if (writes) { list += (list.empty() ? "" : " ") + std::string(what); }
  };
  add(tool.scalar != Scalar::none, "quaternion");
  add(tool.matrix != Sense::none, "matrix");
  add(tool.euler != EulerHabit::none, "euler");
  add(!tool.others.empty(), tool.others);
  return list;
}

[[noreturn]] void refuse_unwritten(const Convention& tool, std::string_view rep) {
  fail(Error(Problem{.what = fmt::format("the convention of {} for '{}' is not known here", tool.name, rep),
                     .allowed = fmt::format("known of {}: {}", tool.name, written_by(tool)),
                     .cure = fmt::format("without @{} the name means our own convention", tool.name)}));
}

RepresentationPtr quaternion_of(const Convention& tool, std::string name, std::string_view rep) {
  if (tool.scalar == Scalar::none) { refuse_unwritten(tool, rep); }
  if (const std::size_t colon = rep.find(':'); colon != std::string_view::npos) {
    const std::string_view family = rep.substr(0, colon);
    refuse(fmt::format("'{}' takes nothing after a colon, got '{}'", family, rep.substr(colon + 1)),
           fmt::format("write {}@{}", family, tool.name));
  }
  const bool says_first = rep == "quaternion_wxyz";
  const bool says_last = rep == "quaternion_xyzw";
  if (tool.scalar == Scalar::either && !says_first && !says_last) {
    refuse(fmt::format("{} writes quaternions in two orders", tool.name),
           fmt::format("say which: quaternion_wxyz@{0} or quaternion_xyzw@{0}", tool.name));
  }
  if ((tool.scalar == Scalar::first && says_last) || (tool.scalar == Scalar::last && says_first)) {
    refuse(fmt::format("'{}' is not the order of {}, which writes the scalar {}", rep, tool.name,
                       tool.scalar == Scalar::first ? "first" : "last"),
           fmt::format("write quaternion@{}, or {} without @", tool.name, rep));
  }
  const bool last = tool.scalar == Scalar::last || says_last;
  return with_sense(tool.quaternion, std::move(name), last ? "quaternion_xyzw" : "quaternion_wxyz");
}

/// "zyx" -> "ZYX"; anything else as it is.
std::string upper(std::string_view axes) {
  std::string text(axes);
  for (char& c : text) {
    if (c >= 'x' && c <= 'z') { c = static_cast<char>(c - 'x' + 'X'); }
  }
  return text;
}

/// A sequence in the tool's spelling as one of ours.
EulerSequence sequence_of(const Convention& tool, std::string_view rep, std::string_view text) {
  if (text.empty() && tool.sequence.empty()) {
    refuse(fmt::format("{} has no default Euler sequence", tool.name),
           fmt::format("add it, such as {}",
                       tool.euler == EulerHabit::letters_only || tool.euler == EulerHabit::upper_intrinsic
                           ? fmt::format("euler:ZYX@{}", tool.name)
                           : fmt::format("euler:3-2-1@{}", tool.name)));
  }
  if (text.empty()) { return EulerSequence::parse(tool.sequence); }

  const bool has_lower = text.find_first_of("xyz") < text.find(':');
  const bool has_upper = text.find_first_of("XYZ") < text.find(':');
  switch (tool.euler) {
    case EulerHabit::one_sequence:
      if (EulerSequence::parse(text) == EulerSequence::parse(tool.sequence)) { break; }
      refuse(fmt::format("'{}' is not what {} writes: its angles are {}", rep, tool.name, tool.sequence),
             fmt::format("write euler@{}, or {} without @", tool.name, rep));
    case EulerHabit::upper_intrinsic:
    case EulerHabit::lower_intrinsic:
      if (has_lower && has_upper) {
        refuse(fmt::format("'{}' mixes upper-case and lower-case axes", rep),
               "intrinsic and extrinsic turns do not mix");
      }
      if (has_lower || has_upper) {
        if (text.find(':') != std::string_view::npos) {
          refuse(
              fmt::format("'{}': with {} the case of the letters already says intrinsic or extrinsic", rep, tool.name),
              "leave out what follows the sequence, or write the axes as numbers");
        }
        EulerSequence sequence = EulerSequence::parse(upper(text));
        sequence.extrinsic = has_lower == (tool.euler == EulerHabit::upper_intrinsic);
        return sequence;
      }
      break;
    case EulerHabit::letters_only:
      if (!has_upper) {
        refuse(fmt::format("'{}': {} counts axes from 0, we count from 1", rep, tool.name),
               fmt::format("write the axes as letters, such as euler:ZYX@{}", tool.name));
      }
      break;
    case EulerHabit::none:
    case EulerHabit::as_ours:
    case EulerHabit::product_of_frames:
    case EulerHabit::last_angle_first:
      break;
  }
  return EulerSequence::parse(text);
}

RepresentationPtr euler_of(const Convention& tool, std::string name, std::string_view rep) {
  if (tool.euler == EulerHabit::none) { refuse_unwritten(tool, rep); }
  const std::size_t colon = rep.find(':');
  EulerSequence sequence = sequence_of(tool, rep, colon == std::string_view::npos ? "" : rep.substr(colon + 1));
  if (tool.euler == EulerHabit::product_of_frames) {
    // Aᵀ = R_kᵀ(θ3) R_jᵀ(θ2) R_iᵀ(θ1), written k j i and θ3 θ2 θ1
    std::swap(sequence.axes[0], sequence.axes[2]);
  }
  const std::string ours = "euler:" + sequence.name();
  if (tool.euler == EulerHabit::product_of_frames || tool.euler == EulerHabit::last_angle_first) {
    return std::make_shared<LastFirst>(std::move(name), representation(ours));
  }
  return representation(ours, std::move(name));
}

bool contains_word(std::string_view words, std::string_view word) {
  return (" " + std::string(words) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

}  // namespace

const std::vector<Convention>& conventions() {
  // clang-format off
  static const std::vector<Convention> kAll{
#define CONVENTION(...) Convention{__VA_ARGS__},
#include "polhode/catalog/conventions.def"
#undef CONVENTION
  };
  // clang-format on
  return kAll;
}

const Convention& convention(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Convention& tool : conventions()) {
    if (tool.name == name) { return tool; }
    known.push_back(tool.name);
  }
  fail(Error(unknown_name("convention", name, known)));
}

RepresentationPtr representation_of(const Convention& tool, std::string_view rep) {
  std::string name = fmt::format("{}@{}", rep, tool.name);
  const std::string_view family = rep.substr(0, rep.find(':'));
  if (family == "quaternion" || family == "quaternion_wxyz" || family == "quaternion_xyzw") {
    return quaternion_of(tool, std::move(name), rep);
  }
  if (family == "euler") { return euler_of(tool, std::move(name), rep); }
  representation(rep);  // fails for an unknown name
  if (family == "matrix" && tool.matrix == Sense::ambiguous) {
    refuse(fmt::format("the matrices of {} come in two directions", tool.name),
           "write matrix@matlab-aerospace (space to body) or matrix@matlab-robotics (body to space)");
  }
  if (family == "matrix" && tool.matrix != Sense::none) { return with_sense(tool.matrix, std::move(name), rep); }
  if (contains_word(tool.others, family)) { return with_sense(tool.quaternion, std::move(name), rep); }
  refuse_unwritten(tool, rep);
}

void refuse_direction(const Convention& tool, std::string_view name, std::string_view rep, std::string_view direction) {
  representation_of(tool, rep);  // what the tool does not write comes first
  const bool last = tool.scalar == Scalar::last;
  const std::string ours = rep.starts_with("euler") ? fmt::format("our own angles, such as euler:3-1-3:{}", direction)
                                                    : fmt::format("{}{}:{}", rep,
                                                                  rep != "quaternion" ? ""
                                                                  : last              ? "_xyzw"
                                                                                      : "_wxyz",
                                                                  direction);
  refuse(fmt::format("'{}': {} has its own direction", name, tool.name),
         fmt::format("write {0}@{1}, or without @{1} {2}", rep, tool.name, ours));
}

Kind convention_kind() {
  Kind kind{.name = "conventions",
            .summary = "how other programs write rotations: REP@TOOL in convert, such as quaternion@scipy",
            .entries = {}};
  for (const Convention& tool : conventions()) {
    kind.entries.push_back({std::string(tool.name), std::string(tool.summary), std::string(tool.source)});
  }
  return kind;
}

}  // namespace polhode::catalog
