# %% [markdown]
# # The inertia of a racket from a gyro
#
# A phone is taped to a racket, and the racket is tossed twelve times: three rates a hundred times a second, no attitude, an
# unknown start of every toss. The data here are made by runs of the scenario, with noise and a bias, so the truth is known:
# J1/J3 = 0.069222 and J2/J3 = 0.941648.

# %%
import pathlib

import polhode

examples = pathlib.Path(__file__).resolve().parents[2] / "examples"
found = polhode.identify(
    examples / "racket-tosses.toml",
    examples / "racket-tosses.csv",
    inertia=["J1", "J2", "J3"],
    unknown_start=True,
    bias=["w_body_rad_s"],
)
print(found)
assert found["converged"]
told = {one["name"]: one for one in found["values"]}
assert abs(told["J1"]["value"] / told["J3"]["value"] - 0.069222) < 1e-3

# %% [markdown]
# Rates of a free body tell ratios of moments and not their size. If one is known, leave it out of the unknowns: weigh the racket
# and hang it up, and a pendulum gives one.
