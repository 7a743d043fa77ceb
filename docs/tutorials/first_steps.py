# %% [markdown]
# # First steps
#
# A handle with a cross bar, spun about the axis of its middle moment, flips over and back for ever. Six lines say all
# of it: moments of inertia, how it starts, what to watch, how long.

# %%
import numpy as np

import polhode

handle = polhode.Scenario(title="a handle that flips")
handle.body.principal_moments = [2.0, 1.0, 3.0]  # kg m², about the body's x, y and z
handle.initial.w_body = [15.0, 0.001, 0.0]  # rad/s, body components
handle.event.append({"name": "flip", "rate_body": "x"})
handle.run.duration = 10.0

run = polhode.simulate(handle, certify=True)
print(run)

# %% [markdown]
# A trajectory is a mapping of columns to arrays. A column's name says its frame and its unit.

# %%
print(", ".join(list(run)[:9]))
print(run.column("wx_body_rad_s"))
print([round(event.t, 4) for event in run.events])

# %% [markdown]
# The certificate says how far the numbers can be trusted. The motion of a free body is known exactly, so this one was
# held against it.

# %%
print(run.certificate)
assert run.certificate.verdict == "yes"

# %% [markdown]
# The exact motion can be had alone, at any time, far ahead without any steps. Half its period is the time between
# two flips.

# %%
exact = polhode.FreeMotion(J_B=[2.0, 1.0, 3.0], w_B=[15.0, 0.001, 0.0])
flips = np.array([event.t for event in run.events])
print(exact.branch, exact.period / 2, np.diff(flips))
assert np.allclose(np.diff(flips), exact.period / 2, rtol=1e-6)

# %% [markdown]
# Every number may be a formula of parameters. Then a scenario is a function of them.

# %%
handle.parameters["nudge"] = 0.001
handle.initial.w_body = [15.0, "nudge", 0.0]
for nudge in (1e-3, 1e-2, 1e-1):
    first = polhode.simulate(handle, parameters={"nudge": nudge}).events[0].t
    print(f"nudged by {nudge:g} rad/s, it flips after {first:.3f} s")

# %% [markdown]
# `print(handle.to_toml())` is the scenario as a file, which `polhode run` takes; `run.save("handle.run")` writes what
# that leaves, `run.view()` opens the report in a browser.

# %%
print(handle.to_toml())
