# %% [markdown]
# # How engines get rotation wrong
#
# Most game engines take a body's rotation forward by one of a few short schemes. `schemes` runs them all on one free
# body that spins next to its middle axis, against the exact motion.

# %%
import numpy as np

import polhode

table = polhode.schemes([1, 2, 3], spin=6.0, hz=60.0, turns=20.0)
print(table)

# %% [markdown]
# A log of another engine can be judged too. Here is the exact motion as an engine with its gyroscopic term missing
# would have it: the body rate stays as it was.

# %%
J_B = np.array([1.0, 2.0, 3.0])
w_B = np.array([0.5, 5.0, 0.1])
t = np.linspace(0, 10, 2001)
angle = np.linalg.norm(w_B) * t
e_NB = np.column_stack([np.cos(angle / 2), *(np.sin(angle / 2) * n for n in w_B / np.linalg.norm(w_B))])
log = {"t": t} | dict(zip(["qw", "qx", "qy", "qz"], e_NB.T)) | dict(zip(["wx", "wy", "wz"], np.tile(w_B, (len(t), 1)).T))
verdict = polhode.audit(log, inertia=J_B)
print(verdict["faults"])
assert "gyroscopic-missing" in verdict["faults"]

# %% [markdown]
# The same body as it moves in truth, written with the scalar last, as many engines do, is told too.

# %%
states = polhode.FreeMotion(J_B=J_B, w_B=w_B).at(t)
scrambled = dict(zip(["qw", "qx", "qy", "qz"], np.roll(states.e_NB, -1, axis=1).T))
log = {"t": t} | scrambled | dict(zip(["wx", "wy", "wz"], states.w_B.T))
print(polhode.audit(log, inertia=J_B)["faults"])
