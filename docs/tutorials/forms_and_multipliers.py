# %% [markdown]
# # All forms and multipliers of one body
#
# Euler parameters are four numbers for three freedoms. The equations of motion in them can be written in many ways:
# with or without a Lagrange multiplier for the norm, with the multiplier as an unknown or in closed form, reduced
# or not. They are all the same motion; they differ in what an integrator makes of them.

# %%
import polhode

top = polhode.Scenario(
    title="a heavy top",
    body={"shape": "cone", "mass": 0.5, "radius": 0.04, "height": 0.1, "fixed_point": [0, 0, 0]},
    initial={"euler": {"sequence": "3-1-3", "angles_deg": [0, 30, 0]}, "w_body": [0, 0, 120]},
    load=[{"kind": "gravity", "g_space": [0, 0, -9.81]}],
    run={"duration": 1.0, "tolerance": 1e-10},
)
compared = polhode.compare(top)
print(compared)

# %% [markdown]
# As data: every row says how far its form is from the others.

# %%
print(sorted(compared))
assert compared["all_agree"]
