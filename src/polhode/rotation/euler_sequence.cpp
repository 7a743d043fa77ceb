#include "polhode/rotation/euler_sequence.h"

#include "polhode/core/error.h"

namespace polhode {
namespace {

std::string names_of_all() {
  std::string names = "known:";
  for (const EulerSequence& sequence : all_sequences()) { names += ' ' + sequence.name(); }
  return names;
}

}  // namespace

const std::array<EulerSequence, 12>& all_sequences() {
  static const std::array<EulerSequence, 12> kAll = [] {
    std::array<EulerSequence, 12> all;
    std::size_t n = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 3; ++k) {
          if (i != j && j != k) { all[n++] = {{i, j, k}, false}; }
        }
      }
    }
    return all;
  }();
  return kAll;
}

std::string EulerSequence::name() const {
  std::string text;
  for (const int axis : axes) { text += (text.empty() ? "" : "-") + std::to_string(axis + 1); }
  return extrinsic ? text + ":extrinsic" : text;
}

EulerSequence EulerSequence::parse(std::string_view text) {
  const std::string quoted = "Euler sequence '" + std::string(text) + "'";
  EulerSequence sequence;

  // the suffix says whose axes turn
  std::string_view axes_text = text;
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    axes_text = text.substr(0, colon);
    const std::string_view suffix = text.substr(colon + 1);
    if (suffix == "extrinsic") {
      sequence.extrinsic = true;
    } else if (suffix != "intrinsic") {
      fail(Error(Problem{.what = quoted + ": '" + std::string(suffix) + "' after the colon",
                         .allowed = "allowed: intrinsic, extrinsic",
                         .cure = {}}));
    }
  }

  std::size_t count = 0;
  bool dash_allowed = false;
  for (const char c : axes_text) {
    if (c == '-' && dash_allowed) {
      dash_allowed = false;
      continue;
    }
    int axis = -1;
    if (c >= '1' && c <= '3') { axis = c - '1'; }
    if (c >= 'X' && c <= 'Z') { axis = c - 'X'; }
    if (c >= 'x' && c <= 'z') {
      fail(
          Error(Problem{.what = quoted + ": lower-case letters mean extrinsic in some programs and intrinsic in others",
                        .allowed = {},
                        .cure = "write the axes as numbers, such as 3-2-1 or 3-2-1:extrinsic"}));
    }
    if (axis < 0 || count == 3) {
      count = 0;
      break;
    }
    sequence.axes[count++] = axis;
    dash_allowed = true;
  }
  if (count != 3 || !dash_allowed) {
    fail(Error(Problem{.what = quoted + " is not three axes", .allowed = names_of_all(), .cure = {}}));
  }
  if (sequence.axes[0] == sequence.axes[1] || sequence.axes[1] == sequence.axes[2]) {
    fail(Error(Problem{.what = quoted + ": neighbouring axes must differ (two turns about one axis are one turn)",
                       .allowed = names_of_all(),
                       .cure = {}}));
  }
  return sequence;
}

}  // namespace polhode
