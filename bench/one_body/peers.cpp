#include "one_body/peers.h"

#include <boost/numeric/odeint.hpp>

#include <cmath>
#include <vector>

namespace polhode::bench {
namespace {

namespace odeint = boost::numeric::odeint;

constexpr double kFirstStep = 0.01;

struct FreeBody {
  Moments J;
  void operator()(const State& y, State& f, double) const { free_body(y.data(), J, f.data()); }
};
struct CountedFreeBody {
  Moments J;
  std::size_t* count;
  void operator()(const State& y, State& f, double) const {
    ++*count;
    free_body(y.data(), J, f.data());
  }
};

struct BulirschStoer {
  template <class F>
  void operator()(const F& f, double tolerance, double t_end, State& y) const {
    odeint::bulirsch_stoer<State> stepper(tolerance, tolerance);
    odeint::integrate_adaptive(stepper, f, y, 0.0, t_end, kFirstStep);
  }
};
template <class Method>
struct Controlled {
  template <class F>
  void operator()(const F& f, double tolerance, double t_end, State& y) const {
    odeint::integrate_adaptive(odeint::make_controlled(tolerance, tolerance, Method()), f, y, 0.0, t_end, kFirstStep);
  }
};
struct AdamsBashforthMoulton8 {
  template <class F>
  void operator()(const F& f, double step, double t_end, State& y) const {
    odeint::adams_bashforth_moulton<8, State> stepper;
    odeint::integrate_n_steps(stepper, f, y, 0.0, step, static_cast<std::size_t>(std::lround(t_end / step)));
  }
};

template <class Run>
Peer peer(const char* name, bool by_tolerance) {
  return {name, by_tolerance,
          [](double parameter, double t_end, State& y) { Run()(FreeBody{kMoments}, parameter, t_end, y); },
          [](double parameter, double t_end, State y) {
            std::size_t count = 0;
            Run()(CountedFreeBody{kMoments, &count}, parameter, t_end, y);
            return count;
          }};
}

}  // namespace

std::span<const Peer> odeint_peers() {
  static const std::vector<Peer> kPeers{
      peer<Controlled<odeint::runge_kutta_dopri5<State>>>("odeint Dormand-Prince 5", true),
      peer<Controlled<odeint::runge_kutta_fehlberg78<State>>>("odeint Fehlberg 7(8)", true),
      peer<BulirschStoer>("odeint Bulirsch-Stoer", true),
      peer<AdamsBashforthMoulton8>("odeint Adams-Moulton 8", false)};
  return kPeers;
}

}  // namespace polhode::bench
