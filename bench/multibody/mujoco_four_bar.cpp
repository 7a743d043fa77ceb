#include "multibody/chain.h"
#include "one_body/clock.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace polhode::bench {
namespace {

std::string description(int windows) {
  std::string bodies;
  std::string connections;
  for (int i = 0; i <= windows; ++i) {
    const std::string n = std::to_string(i);
    bodies += "<body name='u" + n + "' pos='" + n + " 0 0'><joint type='hinge' axis='0 0 1'/>" +
              "<inertial pos='0 0.5 0' mass='1' diaginertia='0.0833333333333333 0.001 0.0833333333333333'/>";
    if (i < windows) {
      bodies +=
          "<body name='b" + n + "' pos='0 1 0'><joint type='hinge' axis='0 0 1'/>" +
          std::string("<inertial pos='0.5 0 0' mass='1' diaginertia='0.001 0.0833333333333333 0.0833333333333333'/>") +
          "</body>";
      connections += "<connect body1='b" + n + "' body2='u" + std::to_string(i + 1) +
                     "' anchor='1 0 0' solref='0.002 1' solimp='0.9999 0.9999 0.001 0.5 2'/>";
    }
    bodies += "</body>";
  }
  return "<mujoco><compiler angle='radian'/><option timestep='0.001' integrator='RK4' gravity='0 -9.81 0' "
         "tolerance='1e-10'><flag energy='enable' contact='disable'/></option>"
         "<size njmax='2000' nconmax='0'/><worldbody>" +
         bodies + "</worldbody><equality>" + connections + "</equality></mujoco>";
}

}  // namespace

FourBarRun mujoco_four_bar(int windows) {
  FourBarRun run;
  run.method = "MuJoCo RK4, step 1e-3";
  const std::string xml = description(windows);
  static mjVFS files;
  mj_defaultVFS(&files);
  mj_makeEmptyFileVFS(&files, "four_bar.xml", static_cast<int>(xml.size()));
  std::memcpy(files.filedata[0], xml.data(), xml.size());
  char error[1000] = "";
  mjModel* model = mj_loadXML("four_bar.xml", &files, error, sizeof error);
  mj_deleteVFS(&files);
  if (model == nullptr) {
    run.method += std::string(": ") + error;
    return run;
  }
  mjData* data = mj_makeData(model);
  const auto start = [&] {
    mj_resetData(model, data);
    for (int b = 1; b < model->nbody; ++b) {
      // names begin with u or b: uprights turn at −1 rad/s, bars back
      const char kind = model->names[model->name_bodyadr[b]];
      data->qvel[model->body_dofadr[b]] = kind == 'u' ? -1 : 1;
    }
    mj_forward(model, data);
  };
  const int steps = 10000;
  start();
  const double energy = data->energy[0] + data->energy[1];
  for (int i = 0; i < steps; ++i) {
    mj_step(model, data);
    double gap = 0;
    for (int c = 0; c < model->neq; ++c) {
      double squared = 0;
      for (int k = 0; k < 3; ++k) {
        const double d = data->efc_pos[3 * c + k];
        squared += d * d;
      }
      gap = std::max(gap, std::sqrt(squared));
    }
    run.gap = std::max(run.gap, gap);
    run.energy_error = std::max(run.energy_error, std::fabs(data->energy[0] + data->energy[1] - energy));
  }
  run.angle = -data->qpos[0];
  run.cpu_seconds = cpu_seconds_of([&] {
                      start();
                      for (int i = 0; i < steps; ++i) { mj_step(model, data); }
                    }) /
                    10;
  mj_deleteData(data);
  mj_deleteModel(model);
  return run;
}

}  // namespace polhode::bench
