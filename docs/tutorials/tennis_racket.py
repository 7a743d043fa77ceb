# %% [markdown]
# # The tennis racket theorem
#
# Thrown up so that it turns about its middle axis, a racket comes down with its faces swapped. About the other two
# axes it does not. Poinsot's construction says why: the angular velocity moves on the *polhode*, where two ellipsoids
# of constant energy and constant momentum meet, and about the middle axis that curve is a cross.

# %%
import numpy as np

import polhode

moments = np.array([0.0014, 0.0164, 0.0177])  # kg m²: a racket about handle, face, and edge
motions = {}
for axis, name in enumerate(["handle", "face, in the middle", "edge"]):
    w_B = np.full(3, 0.02)
    w_B[axis] = 10.0
    motions[name] = polhode.FreeMotion(J_B=moments, w_B=w_B)
    t = np.linspace(0, 5, 5001)
    spin = motions[name].at(t).w_B[:, axis]
    print(f"{name:20} {motions[name].branch:25} spin between {spin.min():+.3f} and {spin.max():+.3f} rad/s")

# %% [markdown]
# How long until it flips? The closer to the axis it starts, the longer, as the logarithm of the nudge.

# %%
for nudge in 10.0 ** -np.arange(1, 9, 2):
    motion = polhode.FreeMotion(J_B=moments, w_B=[nudge, 10.0, nudge])
    print(f"nudge {nudge:.0e} rad/s: a flip every {motion.period / 2:.4f} s")

# %% [markdown]
# Energy and momentum do not change along the way. Here they are at a hundred thousand seconds, where no integrator
# has to go.

# %%
motion = polhode.FreeMotion(J_B=moments, w_B=[0.02, 10.0, 0.02])
states = motion.at(np.linspace(0, 1e5, 1001))
energy = 0.5 * states.w_B**2 @ moments
momentum = np.linalg.norm(states.w_B * moments, axis=1)
print("energy    differs by", np.ptp(energy) / energy[0])
print("momentum  differs by", np.ptp(momentum) / momentum[0])
assert np.ptp(energy) / energy[0] < 1e-12 and np.ptp(momentum) / momentum[0] < 1e-12
