#include "module.h"
#include "plain.h"

namespace polhode::python {
namespace {

// ---- what tables there are, and which keys they have ----------------------------------------------------------------

/// The name of a table's class in Python.
template <class T>
inline constexpr const char* kClass = nullptr;
#define POLHODE_CLASS(Type, name) \
  template <>                     \
  inline constexpr const char* kClass<scenario::Type> = name
POLHODE_CLASS(Scenario, "Scenario");
POLHODE_CLASS(OneBody, "OneBody");
POLHODE_CLASS(Initial, "Initial");
POLHODE_CLASS(Acting, "Force");
POLHODE_CLASS(Body, "Body");
POLHODE_CLASS(Joint, "Joint");
POLHODE_CLASS(JointFrame, "JointFrame");
POLHODE_CLASS(MechanismGravity, "Gravity");
POLHODE_CLASS(Driver, "Driver");
POLHODE_CLASS(Coupling, "Coupling");
POLHODE_CLASS(Rolling, "Rolling");
POLHODE_CLASS(Blade, "Blade");
POLHODE_CLASS(Constraining, "Constraint");
POLHODE_CLASS(Event, "Event");
POLHODE_CLASS(AnglePassage, "AnglePassage");
POLHODE_CLASS(Run, "Run");
POLHODE_CLASS(Output, "Output");
POLHODE_CLASS(OutputPoint, "OutputPoint");
POLHODE_CLASS(Part, "Part");
POLHODE_CLASS(Euler, "Euler");
POLHODE_CLASS(AxisAngle, "AxisAngle");
POLHODE_CLASS(StartPose, "StartPose");
#undef POLHODE_CLASS

/// The types that stand in the struct, as Python writes them.
template <class T>
std::string type_text(const T* = nullptr) {
  if constexpr (NumberLike<T>) {
    return "Number";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "str";
  } else if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (kIsOptional<T>) {
    return type_text<typename T::value_type>();
  } else if constexpr (kIsArray<T> || kIsList<T>) {
    using Entry = std::remove_cvref_t<decltype(std::declval<T>()[0])>;
    return (scenario::Table<Entry> ? "Tables[" : "Sequence[") + type_text<Entry>() + "]";
  } else if constexpr (kIsNamed<T>) {
    using Entry = std::remove_cvref_t<decltype(std::declval<T>().begin()->second)>;
    return "dict[str, " + type_text<Entry>() + "]";
  } else {
    static_assert(kClass<T> != nullptr, "a table of a scenario without a class in Python");
    return kClass<T>;
  }
}

/// Lists the keys of a struct, those of structs inside it too; of what acts, the keys of all kinds.
class Lister {
 public:
  explicit Lister(nb::list keys) : keys_(std::move(keys)) {}
  template <class T>
  void must(std::string_view key, const T&) {
    add(key, type_text<T>(), true);
  }
  template <class T>
  void may(std::string_view key, const T&) {
    add(key, type_text<T>(), false);
  }
  template <class T>
  void of(const T& inlined) {
    T::keys(inlined, *this);
  }
  template <class V>
  void kind(std::string_view key, const V&) {
    add(key, "str", true);
    in_kind_ = true;
    scenario::each_kind<V>([this](const auto& one) { of(one); });
    in_kind_ = false;
  }

 private:
  void add(std::string_view key, const std::string& type, bool must) {
    const std::string name(key);
    if (!known_.insert(name).second) { return; }
    keys_.append(nb::make_tuple(name, type, must && !in_kind_));
  }
  nb::list keys_;
  std::set<std::string> known_;
  bool in_kind_ = false;
};

template <class T>
nb::tuple described() {
  nb::list keys;
  Lister lister(keys);
  const T standard{};
  T::keys(standard, lister);
  return nb::make_tuple(kClass<T>, keys);
}

template <class... T>
nb::list all_described() {
  nb::list tables;
  (tables.append(described<T>()), ...);
  return tables;
}

nb::object read_toml(const std::string& text, const std::string& file) {
  const io::ScenarioFile read(text, file);
  Problems problems;
  for (const Problem& problem : read.problems()) { problems.add(problem); }
  std::move(problems).fail_if_any();
  return plain(read.scenario());
}

}  // namespace

void bind_scenario(nb::module_& m) {
  m.def("schema", [] {
    return all_described<scenario::Euler, scenario::AxisAngle, scenario::Part, scenario::StartPose,
                         scenario::JointFrame, scenario::OneBody, scenario::Initial, scenario::Acting, scenario::Body,
                         scenario::Joint, scenario::MechanismGravity, scenario::Driver, scenario::Coupling,
                         scenario::Rolling, scenario::Blade, scenario::Constraining, scenario::AnglePassage,
                         scenario::Event, scenario::Run, scenario::OutputPoint, scenario::Output, scenario::Scenario>();
  });
  m.def("read_toml", &read_toml, nb::arg("text"), nb::arg("file"));
  m.def("to_toml", [](const nb::dict& plain) { return io::to_toml(scenario_from(plain)); });
  m.def("hash_of", [](const nb::dict& plain) { return io::hash_of(scenario_from(plain)); });
  m.def("equal", [](const nb::dict& a, const nb::dict& b) { return scenario_from(a) == scenario_from(b); });
}

}  // namespace polhode::python
