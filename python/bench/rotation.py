"""Times of rotations against SciPy: medians of several runs, each on arrays of one length and on single rotations
(these by processor time).

    python python/bench/rotation.py [ROWS]
"""

from __future__ import annotations

import os
import statistics
import sys
import time
import timeit
from collections.abc import Callable

import numpy as np
import scipy
from scipy.spatial.transform import Rotation as SciPy

import polhode
from polhode.spatial import Rotation as Spatial

RUNS = 7


def once(work: Callable[[], object]) -> tuple[float, float]:
    """By the clock, and of all processors together."""
    start, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - used


def medians(works: list[Callable[[], object]]) -> list[tuple[float, float]]:
    """Of runs that take turns, so that a busy moment meets all alike."""
    times = [[once(work) for work in works] for _ in range(RUNS)]
    return [(statistics.median(t for t, _ in column), statistics.median(t for _, t in column)) for column in zip(*times)]


def arrays(rows: int) -> None:
    numbers = np.random.default_rng(1)
    quaternions = numbers.standard_normal((rows, 4))
    vectors = numbers.standard_normal((rows, 3))
    others = numbers.standard_normal((rows, 4))
    of_kind = {}
    for kind in (SciPy, Spatial):
        a, b = kind.from_quat(quaternions), kind.from_quat(others)
        matrices, angles, rotvecs = a.as_matrix(), a.as_euler("ZYX"), a.as_rotvec()
        of_kind[kind] = {
            "product": lambda a=a, b=b: a * b,
            "apply": lambda a=a: a.apply(vectors),
            "apply inverse": lambda a=a: a.apply(vectors, inverse=True),
            "from matrix": lambda k=kind, m=matrices: k.from_matrix(m),
            "as matrix": lambda a=a: a.as_matrix(),
            "from Euler angles": lambda k=kind, e=angles: k.from_euler("ZYX", e),
            "as Euler angles": lambda a=a: a.as_euler("ZYX"),
            "from rotation vector": lambda k=kind, x=rotvecs: k.from_rotvec(x),
            "as rotation vector": lambda a=a: a.as_rotvec(),
            "from quaternion": lambda k=kind: k.from_quat(quaternions),
            "as quaternion": lambda a=a: a.as_quat(),
            "inverse": lambda a=a: a.inv(),
            "magnitude": lambda a=a: a.magnitude(),
        }
    print(f"\n| {rows} rotations | SciPy, ms | Polhode, ms | ratio | processor time | ratio |\n|---|---:|---:|---:|---:|---:|")
    for name in of_kind[SciPy]:
        (theirs, cpu), (ours, our_cpu) = medians([of_kind[kind][name] for kind in (SciPy, Spatial)])
        print(
            f"| {name} | {1e3 * theirs:.1f} | {1e3 * ours:.1f} | {theirs / ours:.1f} "
            f"| {1e3 * cpu:.1f}, {1e3 * our_cpu:.1f} | {cpu / our_cpu:.1f} |",
            flush=True,
        )


def singles() -> None:
    names = {
        "product": "a * b",
        "apply": "a.apply(v)",
        "as matrix": "a.as_matrix()",
        "from matrix": "R.from_matrix(m)",
        "from Euler angles": "R.from_euler('ZYX', v)",
        "as Euler angles": "a.as_euler('ZYX')",
        "from rotation vector": "R.from_rotvec(v)",
        "as rotation vector": "a.as_rotvec()",
        "from quaternion": "R.from_quat(q)",
        "as quaternion": "a.as_quat()",
        "inverse": "a.inv()",
        "magnitude": "a.magnitude()",
    }
    core = {"product": "c * c", "inverse": "c.inv()", "apply": "c.to_space(v)", "as matrix": "c.as_matrix()"}
    print("\n| one rotation | SciPy, ns | polhode.spatial, ns | ratio | polhode.Rotation, ns |\n|---|---:|---:|---:|---:|")
    for name, text in names.items():
        times = []
        for kind in (SciPy, Spatial, None):
            if kind is None and name not in core:
                continue
            r = kind or Spatial
            a = r.from_euler("ZYX", [0.3, 0.2, 0.1])
            known = {
                "R": r, "a": a, "b": a, "v": np.array([0.3, 0.2, 0.1]), "m": a.as_matrix(), "q": a.as_quat(),
                "c": polhode.Rotation.from_euler("ZYX", [0.3, 0.2, 0.1]),
            }  # fmt: skip
            number = 1000
            runs = timeit.repeat(
                text if kind else core[name], globals=known, number=number, repeat=RUNS, timer=time.process_time
            )
            times.append(1e9 * statistics.median(runs) / number)
        own = f"{times[2]:.0f}" if len(times) > 2 else ""
        print(f"| {name} | {times[0]:.0f} | {times[1]:.0f} | {times[0] / times[1]:.1f} | {own} |", flush=True)


if __name__ == "__main__":
    print(f"SciPy {scipy.__version__}, numpy {np.__version__}, {os.cpu_count()} processors; from 100 000 rows 2 threads")
    arrays(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
    singles()
