#pragma once

#include "polhode/body/outline.h"
#include "polhode/io/result_log.h"

/// Result files, made from the log of a run.
namespace polhode::io {

/// A body as pictures show it.
struct PicturedBody {
  std::string name;
  double mass = 0;
  Vec3<double> reference_B{};  ///< the point that rows speak of: the mass centre, or the point where the body is held
  bool held = false;
  Mat3<double> J_B{};  ///< about that point, kg m²
  std::vector<Outline> outlines;

  friend bool operator==(const PicturedBody&, const PicturedBody&) = default;
};

/// What stands at the head of every result: where it comes from and how to read it.
struct ResultHead {
  std::string title;
  std::string scenario_file;  ///< its name, without folders
  std::string scenario_text;
  std::string scenario_sha256;
  std::string version;  ///< of the program
  std::string formulation;
  std::string integrator;
  bool portable = true;  ///< the same bits on every machine
  std::string epoch;
  std::vector<simulation::Column> columns;
  std::vector<std::string> events;  ///< their names
  std::vector<PicturedBody> bodies;
  /// Of a run that has ended, as JSON; "" where none is known. For pages: the header of a log does not hold it.
  std::string certificate_json;
};

/// The convention of every file, in one line.
inline constexpr std::string_view kConvention =
    "Euler parameters scalar first, Hamilton product, body to space; SI units and radians; _body and _space say whose "
    "components";

/// The header of a log, and back.
std::string to_json(const ResultHead& head);
ResultHead head_from_json(const std::string& json, const std::string& file);

/// Receives pieces of text.
using Write = std::function<void(std::string_view)>;

/// A format that results are written in: a file result_NAME.cpp and a line in writers.def. Reads the log frame by
/// frame: memory does not grow with the number of rows.
struct ResultWriter {
  std::string_view name;       ///< "csv"
  std::string_view file_name;  ///< "results.csv"
  std::string_view summary;
  void (*write)(LogReader& log, const ResultHead& head, const Write& write);
};

const std::vector<const ResultWriter*>& result_writers();
/// By name; fails with the nearest.
const ResultWriter& result_writer(std::string_view name);

}  // namespace polhode::io
