# %% [markdown]
# # The stability of a bicycle
#
# Two wheels that roll without slipping, a frame with a rider, a fork. Nobody steers, and yet between two speeds it
# keeps itself up. The parameters are those of the published benchmark.

# %%
import pathlib

import numpy as np

import polhode

examples = pathlib.Path(__file__).resolve().parents[2] / "examples"
bicycle = polhode.Scenario.read(examples / "whipple-bicycle.toml")
linear = polhode.linearize(bicycle, parameters={"v": 5.0}, without_ignorable=True)
print(linear)

# %% [markdown]
# Eigenvalues against the speed, and where stability changes: the weave speed and the capsize speed of the benchmark,
# 4.29238253634111 and 6.02426201538837 m/s.

# %%
locus = polhode.root_locus(bicycle, "v=0:10:41")
for change in locus.changes:
    print(f"{change.parameter:.14f} m/s: {'unstable' if change.becomes_unstable else 'stable'} from here on")
speeds = [change.parameter for change in locus.changes]
assert np.min(np.abs(np.array(speeds) - 4.29238253634111)) < 1e-9
assert np.min(np.abs(np.array(speeds) - 6.02426201538837)) < 1e-9

# %% [markdown]
# The matrices are plain arrays; control libraries take them as they are.

# %%
A, B, C, D = linear.matrices
print(np.linalg.eigvals(A))
