#pragma once

#include "polhode/catalog/catalog.h"
#include "polhode/rotation/attitude_motion.h"
#include "polhode/rotation/chart.h"

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace polhode::catalog {

/// One of the numbers that a representation is written with.
struct Column {
  std::string name;       ///< "theta1"
  bool is_angle = false;  ///< in radians here; a user may want degrees
};

/// What to do with numbers that are not quite a rotation: a quaternion that is not of unit length, a matrix that is
/// not orthogonal, or rates that would make them so.
enum class Noise {
  refuse,  ///< fail, saying what is wrong
  project  ///< take the nearest rotation and say how far away it is
};

/// An attitude read from numbers, and how far these were from an exact description of it.
struct Reading {
  EulerParameters<double> e_NB;
  double distance = 0;
};

/// An angular velocity read from rates, and how far these were from the rates of an exact rotation; or an angular
/// acceleration, ω̇', read from second derivatives.
struct RateReading {
  BodyVector<double> w;
  double distance = 0;
};

/// A way to write an attitude, and its rates, as a row of numbers. Everything meets in Euler parameters and the
/// body-frame angular velocity, so n representations need n descriptions and no pairs. A quaternion need be of unit
/// length to kUnitTolerance only: it is handed on as it is, and the others describe its attitude, e/|e|.
class Representation {
 public:
  Representation(std::string name, std::vector<Column> columns)
      : name_(std::move(name)), columns_(std::move(columns)) {}
  virtual ~Representation() = default;
  Representation(const Representation&) = delete;
  Representation& operator=(const Representation&) = delete;

  /// As a user writes it: "euler:3-1-3", "quaternion@scipy".
  const std::string& name() const { return name_; }
  const std::vector<Column>& columns() const { return columns_; }
  std::size_t size() const { return columns_.size(); }

  /// The attitude that `x` describes; fails with one line when it describes none. size() numbers, angles in radians.
  virtual Reading read(std::span<const double> x, Noise noise) const = 0;
  /// The numbers of an attitude; fails where they would not be finite.
  virtual void write(const EulerParameters<double>& e_NB, std::span<double> x) const = 0;

  /// Angular velocity from the time derivatives of the numbers. `x` describes e_NB, as read() with the same `noise`
  /// found it. Rates that no rotation has, such as those of a quaternion that grows, fail with one line or are left
  /// out.
  virtual RateReading read_rates(const EulerParameters<double>& e_NB, std::span<const double> x,
                                 std::span<const double> xdot, Noise noise) const = 0;
  /// And back; fails where the rates would not be finite.
  virtual void write_rates(const EulerParameters<double>& e_NB, const BodyVector<double>& w, std::span<const double> x,
                           std::span<double> xdot) const = 0;

  /// ω̇' from the second time derivatives of the numbers, where `x` and `xdot` have been read, and xdot gave `w`. Second
  /// derivatives that no rotation has with these rates fail with one line or are left out.
  virtual RateReading read_accelerations(const EulerParameters<double>& e_NB, const BodyVector<double>& w,
                                         std::span<const double> x, std::span<const double> xdot,
                                         std::span<const double> xddot, Noise noise) const = 0;
  /// And back; fails where they would not be finite. `x` and `xdot` are those of the motion.
  virtual void write_accelerations(const AttitudeMotion<double>& motion, std::span<const double> x,
                                   std::span<const double> xdot, std::span<double> xddot) const = 0;

  /// How well the representation works at `x`. Without a singularity: condition number 1, distance infinite.
  virtual Conditioning<double> conditioning(std::span<const double>) const {
    return {1, 1, std::numeric_limits<double>::infinity()};
  }

 private:
  std::string name_;
  std::vector<Column> columns_;
};

using RepresentationPtr = std::shared_ptr<const Representation>;

/// Above this condition number a result deserves a warning: nearer than about one degree to a singularity.
inline constexpr double kWorryingCondition = 100;

/// A family of representations: the word before the colon, and how the rest of the name is understood.
struct RepresentationFamily {
  std::string_view name;     ///< "euler"
  std::string_view usage;    ///< "euler:3-1-3[:extrinsic]"
  std::string_view summary;  ///< "three angles of turns about axes"
  std::string_view source;   ///< key of docs/references.bib, or ""
  /// From the text after the colon ("" when there is none); `name` is what the user wrote.
  RepresentationPtr (*make)(std::string name, std::string_view parameter);
};

/// All families, in the order they are listed.
const std::vector<const RepresentationFamily*>& representation_families();

/// A representation by name: REP, REP:body-to-space (the same said aloud), REP:space-to-body (the numbers of the
/// inverse rotation) or REP@TOOL (see conventions.h for the tools). Fails with one line for a name that is not known,
/// naming the nearest. `shown_name` is what name() says where that differs.
RepresentationPtr representation(std::string_view name, std::string shown_name = "");

/// The kind for `polhode list`.
Kind representation_kind();

}  // namespace polhode::catalog
