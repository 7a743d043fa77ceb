#!/usr/bin/env python3
"""Records short logs of a free body with MuJoCo, for tests/cases/audit_mujoco_*.csv.

    python3 -m venv venv && venv/bin/pip install mujoco==3.3.7
    venv/bin/python bench/logs/mujoco_logs.py tests/cases

One file an integrator and body; columns t, qpos[3:7] (w x y z), qvel[3:6] (body components).
"""
import pathlib
import sys

import mujoco

MOMENTS = (0.02, 0.03, 0.04)  # kg m^2, of a body of 1 kg
STEPS = 400

MODEL = """
<mujoco>
  <option gravity="0 0 0" timestep="{step}" integrator="{integrator}"/>
  <worldbody>
    <body>
      <freejoint/>
      <inertial pos="0 0 0" mass="1" diaginertia="0.02 0.03 0.04"/>
    </body>
  </worldbody>
</mujoco>
"""


def record(folder, name, integrator, step, damping=0.0):
    model = mujoco.MjModel.from_xml_string(MODEL.format(step=step, integrator=integrator))
    model.dof_damping[3:6] = damping
    data = mujoco.MjData(model)
    data.qpos[3:7] = (0.5, 0.1, -0.7, 0.5)
    data.qpos[3:7] /= sum(x * x for x in data.qpos[3:7]) ** 0.5
    data.qvel[3:6] = (1.0, 6.0, 2.0)
    lines = [
        f"# MuJoCo {mujoco.__version__} (Apache-2.0), recorded by bench/logs/mujoco_logs.py: free body, diaginertia 0.02 0.03 0.04,",
        f"# integrator {integrator}, timestep {step}, dof_damping {damping}; no gravity, no contact",
        "t,qpos_3,qpos_4,qpos_5,qpos_6,qvel_3,qvel_4,qvel_5",
    ]
    for _ in range(STEPS):
        row = [data.time, *data.qpos[3:7], *data.qvel[3:6]]
        lines.append(",".join(f"{x:.9g}" for x in row))
        mujoco.mj_step(model, data)
    (folder / f"audit_mujoco_{name}.csv").write_text("\n".join(lines) + "\n")


def main():
    folder = pathlib.Path(sys.argv[1])
    record(folder, "euler", "Euler", 0.02)
    record(folder, "rk4", "RK4", 0.02)
    record(folder, "implicit", "implicit", 0.02)
    record(folder, "damped", "RK4", 0.02, damping=0.002)


main()
