"""What a call of a law costs: as a function of Python, as C, as a formula; and how many steps a control loop makes.

    python python/bench/laws.py
"""

import ctypes
import pathlib
import shutil
import subprocess
import tempfile
import time

import polhode


def scenario(load: dict[str, object]) -> polhode.Scenario:
    return polhode.Scenario(
        title="a damped body", body={"principal_moments": [1.0, 2.0, 3.0]}, initial={"w_body": [1.0, 2.0, 0.5]},
        load=[load], run={"duration": 50.0, "output_interval": 50.0},
    )  # fmt: skip


def by_python(state: polhode.State) -> polhode.Wrench:
    return polhode.Wrench(moment_body=[-0.1 * w for w in state.w_B])


@ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double))
def by_ctypes(state, wrench):  # type: ignore[no-untyped-def]
    for i in range(3):
        wrench[3 + i] = -0.1 * state[11 + i]


def in_c() -> object:
    """The law compiled by the C compiler that is there; None where there is none."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    folder = pathlib.Path(tempfile.mkdtemp())
    (folder / "law.c").write_text(
        "void law(const double *s, double *w) { for (int i = 0; i < 3; ++i) { w[3 + i] = -0.1 * s[11 + i]; } }"
    )
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", folder / "law.so", folder / "law.c"], check=True)
    return ctypes.CDLL(str(folder / "law.so")).law


def best(call, times: int = 5) -> tuple[float, polhode.Trajectory]:  # type: ignore[no-untyped-def]
    seconds, run = [], None
    for _ in range(times):
        begin = time.perf_counter()
        run = call()
        seconds.append(time.perf_counter() - begin)
    return min(seconds), run


formula = scenario({"kind": "moment", "moment_body": [f"-0.1*w{axis}_body" for axis in "xyz"]})
code = scenario({"kind": "code", "law": "damping"})
base, run = best(lambda: polhode.simulate(formula))
evaluations = run.statistics["evaluations"]
print(f"formula:            {base * 1e3:8.2f} ms for {evaluations} evaluations")
laws = [("function of Python", by_python), ("ctypes callback", by_ctypes), ("C function", in_c())]
for name, law in laws:
    if law is None:
        continue
    seconds, run = best(lambda law=law: polhode.simulate(code, laws={"damping": law}))  # type: ignore[misc]
    extra = (seconds - base) / run.statistics["evaluations"]
    print(f"{name:19} {seconds * 1e3:8.2f} ms, {extra * 1e6:.2f} us a call more")
plant = polhode.Simulator(formula)
begin = time.perf_counter()
count = 20_000
for _ in range(count):
    plant.step(0.001)
print(f"Simulator.step:     {count / (time.perf_counter() - begin):8.0f} steps a second")
