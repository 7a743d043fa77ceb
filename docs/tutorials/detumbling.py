# %% [markdown]
# # Detumbling, a hundred times
#
# A satellite leaves its rocket tumbling; a controller takes its rate away with a torque that has a limit. How long
# does it take, whatever the tumble? The controller is a formula, so that the certificate can look into it.

# %%
import numpy as np

import polhode

satellite = polhode.Scenario(title="detumbling")
satellite.parameters.update(wx=0.1, wy=0.0, wz=0.0, limit=0.02)
satellite.body.principal_moments = [10.0, 12.0, 8.0]
satellite.initial.w_body = ["wx", "wy", "wz"]
gain = "2.0"
satellite.load.append(
    {"kind": "moment", "moment_body": [f"max(-limit, min(limit, -{gain}*w{axis}_body))" for axis in "xyz"]}
)
satellite.event.append({
    "name": "quiet", "formula": "sqrt(wx_body^2 + wy_body^2 + wz_body^2) - 0.001", "direction": "down", "action": "stop",
})  # fmt: skip
satellite.run.duration = 3600.0
one = polhode.simulate(satellite, certify=True)
print(one, one.certificate.reason)

# %% [markdown]
# A hundred tumbles from one seed. A hundred runs take a second or two; on a grid, `sweep` uses all cores.

# %%
random = np.random.default_rng(1)
times = []
for _ in range(100):
    wx, wy, wz = random.normal(0, 0.05, 3)
    run = polhode.simulate(satellite, parameters={"wx": wx, "wy": wy, "wz": wz})
    assert run.ending == "stopped-by-event"
    times.append(run.events[-1].t)
print(f"quiet after {np.median(times):.0f} s in the middle, {np.max(times):.0f} s at the longest")

# %% [markdown]
# The same as a function of Python: slower, and the certificate says that nobody can look into it.

# %%
held = polhode.Scenario(**satellite.to_dict())
held.load = [{"kind": "code", "law": "controller"}]


def controller(state: polhode.State) -> polhode.Wrench:
    return polhode.Wrench(moment_body=[max(-0.02, min(0.02, -2.0 * w)) for w in state.w_B])


by_python = polhode.simulate(held, laws={"controller": controller})
print(by_python.events[-1].t - one.events[-1].t)
assert abs(by_python.events[-1].t - one.events[-1].t) < 1e-5
