#include "polhode/catalog/mechanism_scenario.h"

#include <fmt/format.h>

#include <charconv>

namespace polhode::catalog {

#define FORCE(name) extern const ForceKind kForce_##name;
#include "polhode/catalog/forces.def"
#undef FORCE

const std::vector<const ForceKind*>& force_kinds() {
  static const std::vector<const ForceKind*> kAll{
#define FORCE(name) &kForce_##name,
#include "polhode/catalog/forces.def"
#undef FORCE
  };
  return kAll;
}

double not_negative(io::TomlTable& table, std::string_view key, double fallback) {
  const double value = table.optional_number(key).value_or(fallback);
  if (value >= 0) { return value; }
  table.problem(key, fmt::format("{} is {:g}", key, value), "wanted: 0 or more");
  return fallback;
}

bool read_wrap(io::TomlTable& table, const std::optional<JointPlace>& place) {
  const bool wrap = table.optional_boolean("wrap").value_or(false);
  if (wrap && place && !counts_turns(place->coordinate)) {
    table.problem("wrap", fmt::format("'{}' has no whole turns", to_text(place->coordinate)),
                  "wanted: wrap with a turn, cross_x or cross_y", "leave it out");
  }
  return wrap;
}

// ---- finding by name ------------------------------------------------------------------------------------------------

std::string ElementContext::named(std::string text) const {
  constexpr std::string_view kMark = "{i";
  for (std::size_t at = text.find(kMark); at != std::string::npos; at = text.find(kMark, at + 1)) {
    const char* begin = text.data() + at + kMark.size();
    const char* end = text.data() + text.size();
    int shift = 0;
    const bool plus = begin < end && *begin == '+';
    const std::from_chars_result number = std::from_chars(begin + (plus ? 1 : 0), end, shift);
    const char* close = number.ec == std::errc() && (plus || *begin == '-') ? number.ptr : begin;
    if (close == begin) { shift = 0; }
    if (close >= end || *close != '}') { continue; }
    text.replace(at, static_cast<std::size_t>(close + 1 - (text.data() + at)), std::to_string(copy + shift));
  }
  return text;
}

namespace {

/// The nearest known name is looked for among all there are, for so many unknown names; nobody reads more.
constexpr int kMostSuggestions = 12;

template <class Things>
std::optional<int> find_named(const ElementContext& context, io::TomlTable& table, std::string_view key,
                              const std::string& name, std::string_view what, const Things& things, bool ground) {
  if (ground && name == "ground") { return kGround; }
  const auto found = things.find(name);
  if (found != things.end()) { return found->second; }
  if (context.unusable != nullptr && context.unusable->contains(name)) { return {}; }
  if (context.uncounted != nullptr) {
    for (const std::string& beginning : *context.uncounted) {
      if (name.starts_with(beginning)) { return {}; }
    }
  }
  if (++context.unknown_names > kMostSuggestions) {
    table.problem(key, fmt::format("unknown {} '{}'", what, name));
    return {};
  }
  std::vector<std::string_view> known;
  if (ground) { known.emplace_back("ground"); }
  for (const auto& [one, index] : things) { known.push_back(one); }
  table.problem(key, unknown_name(what, name, known));
  return {};
}

}  // namespace

std::optional<BodyId> ElementContext::body_called(io::TomlTable& table, std::string_view key, const std::string& name,
                                                  bool ground) const {
  return find_named(*this, table, key, named(name), "body", *bodies, ground);
}
std::optional<BodyId> ElementContext::body(io::TomlTable& table, std::string_view key, bool ground) const {
  const std::string name = table.text(key);
  return table.is_text(key) ? body_called(table, key, name, ground) : std::nullopt;
}

std::optional<int> ElementContext::joint_called(io::TomlTable& table, std::string_view key,
                                                const std::string& name) const {
  return find_named(*this, table, key, named(name), "joint", *joints, false);
}
std::optional<int> ElementContext::joint(io::TomlTable& table, std::string_view key) const {
  const std::string name = table.text(key);
  return table.is_text(key) ? joint_called(table, key, name) : std::nullopt;
}

std::optional<Coordinate> ElementContext::coordinate_called(io::TomlTable& table, std::string_view key, int joint,
                                                            const std::string& name) const {
  const JointKind& kind = *(*kinds)[static_cast<std::size_t>(joint)];
  std::vector<std::string_view> known;
  std::vector<Coordinate> all;
  for (const Coordinate coordinate : kind.acted_on()) {
    if (to_text(coordinate) == name) { return coordinate; }
    known.push_back(to_text(coordinate));
    all.push_back(coordinate);
  }
  if (known.empty()) {
    table.problem(key, fmt::format("a joint of kind '{}' has no turn or slide to act on", kind.name));
    return {};
  }
  if (name.empty() && all.size() == 1) { return all.front(); }
  if (name.empty()) {
    table.problem("", "which coordinate of the joint is meant?", fmt::format("known: {}", fmt::join(known, ", ")),
                  fmt::format("add coordinate = \"{}\"", known.front()));
    return {};
  }
  table.problem(key, unknown_name("coordinate", name, known));
  return {};
}
std::optional<Coordinate> ElementContext::coordinate(io::TomlTable& table, int joint) const {
  return coordinate_called(table, "coordinate", joint, table.optional_text("coordinate").value_or(""));
}

std::optional<JointPlace> ElementContext::joint_place(io::TomlTable& table) const {
  const std::optional<int> found = joint(table, "joint");
  if (!found) {
    static_cast<void>(table.has("coordinate"));  // is a key, though nothing is known about it
    return {};
  }
  const std::optional<Coordinate> of_it = coordinate(table, *found);
  if (!of_it) { return {}; }
  return JointPlace{*found, *of_it};
}

// ---- laws -----------------------------------------------------------------------------------------------------------

ScalarLaw::ScalarLaw(io::TomlTable& table, const io::TomlValue& value, std::string_view key,
                     const std::shared_ptr<MechanismScope>& scope)
    : number_(value.number) {
  if (value.formula.empty()) { return; }
  try {
    formula_ = scope->formula(value);
  } catch (const Error& error) { table.problem(key, error); }
}

void add_joint_law(ElementContext& context, int joint, Coordinate coordinate,
                   std::function<double(double t, const CoordinateValue& q)> Q) {
  // the force on a coordinate acts along its row, MEC-12
  context.builder->add([joint, coordinate, Q = std::move(Q), model = context.model, scope = context.scope](
                           const MechanismView& now, std::span<Pair> moment_and_force_N) {
    const Model& m = **model;
    scope->set(m, now);
    const JointDescription& j = m.joints()[static_cast<std::size_t>(joint)];
    const auto [first, second] = m.ends(now.y, joint);
    const Row row = coordinate_row(coordinate, first, second);
    const double rate = dot(row.first, {first.w, first.v}) + dot(row.second, {second.w, second.v});
    const double force = Q(now.t, {m.unwrapped(now.turns, joint, coordinate, row.value), rate});
    if (j.first >= 0) { moment_and_force_N[static_cast<std::size_t>(j.first)] += force * row.first; }
    if (j.second >= 0) { moment_and_force_N[static_cast<std::size_t>(j.second)] += force * row.second; }
  });
}

}  // namespace polhode::catalog
