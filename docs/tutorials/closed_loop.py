# %% [markdown]
# # A closed loop and its reactions
#
# Four bars and four hinges. In space the loop has more constraints than it needs: three are redundant, and the
# reactions that only they could bear are not determined. `check` says so in words.

# %%
import numpy as np

import polhode

bars = polhode.Scenario(title="four-bar", gravity={"g_space": [0, 0, -9.81]}, run={"duration": 2.0, "output_interval": 0.01})
points = {"a": (0.0, 0.0), "b": (0.0, 0.3), "c": (0.8, 0.6), "d": (0.7, 0.0)}


def bar(name: str, first: str, second: str) -> None:
    (x1, z1), (x2, z2) = points[first], points[second]
    length = float(np.hypot(x2 - x1, z2 - z1))
    bars.bodies.append({
        "name": name, "shape": "box", "mass": 2 * length, "edges": [length, 0.03, 0.03],
        "position": [(x1 + x2) / 2, 0, (z1 + z2) / 2],
        "euler": {"sequence": "3-2-1", "angles": [0, -float(np.arctan2(z2 - z1, x2 - x1)), 0]},
    })  # fmt: skip


def hinge(name: str, at: str, *bodies: str) -> None:
    x, z = points[at]
    bars.joints.append({"name": name, "kind": "revolute", "bodies": list(bodies), "point": [x, 0, z], "axis": [0, 1, 0]})


bar("crank", "a", "b")
bar("coupler", "b", "c")
bar("rocker", "d", "c")
hinge("A", "a", "ground", "crank")
hinge("B", "b", "crank", "coupler")
hinge("C", "c", "coupler", "rocker")
hinge("D", "d", "ground", "rocker")
found = polhode.check(bars)
print(found)

# %% [markdown]
# Let it go from rest. The columns of a mechanism begin with the names of its bodies and joints.

# %%
run = polhode.simulate(bars, certify=True)
print(run)
reactions = [name for name in run if name.startswith("A.")]
print(reactions)
assert run.certificate is not None and run.certificate.verdict == "yes"

# %% [markdown]
# Where does it come to rest, and what do the hinges bear there?

# %%
print(polhode.solve(bars, "statics"))
