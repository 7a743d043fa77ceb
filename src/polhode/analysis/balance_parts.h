#pragma once

#include "polhode/analysis/equilibrium.h"
#include "polhode/analysis/freedoms.h"
#include "polhode/multibody/derivatives.h"

namespace polhode::analysis {

/// What Balance knows at a position.
struct Balance::Parts {
  Parts(const Model& of, double time)
      : model(&of),
        t(time),
        directional(of),
        projecting(of),
        freedoms(of),
        rolls(holds_velocities(of)),
        dy(of.state_size()),
        dydot(of.state_size()) {}

  const Model* model;
  double t;
  Directional directional;
  Scratch projecting;
  Freedoms freedoms;
  bool rolls;         ///< some constraints are on velocities alone
  Eigen::VectorXd a;  ///< accelerations from rest, (α; a) by body
  Eigen::VectorXd g;  ///< ANA-21
  Eigen::MatrixXd K;  ///< ANA-22
  double residual = 0;
  std::vector<double> dy, dydot;
  std::vector<double> turns;  ///< as the last evaluation was given them
};

}  // namespace polhode::analysis
