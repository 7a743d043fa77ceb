#!/usr/bin/env python3
"""How fast the program is as a whole: rows of a run to CSV, memory, start-up, reading a scenario.

    bench/program/speed.py [build/polhode]

The best of several tries counts for what takes milliseconds."""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

program = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build/polhode")
root = pathlib.Path(__file__).resolve().parents[2]


def best(arguments, tries=20):
    """Least wall-clock time of a command, ms."""
    times = []
    for _ in range(tries):
        start = time.perf_counter()
        subprocess.run([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    print(f"polhode --help                     {best(['--help']):8.1f} ms")
    version = best(["--version"])
    text = (root / "examples/t-handle.toml").read_text()
    lines = [line for line in text.splitlines() if not line.startswith(("duration", "output_interval"))]
    start = lines.index("[run]") + 1
    short = lines[:start] + ["duration = 1e-3", "output_interval = 1e-3"] + lines[start:]
    pathlib.Path("short.toml").write_text("\n".join(short) + "\n")
    shortest = best(["run", "short.toml", "-q", "--no-report", "-o", "out"])
    print(f"scenario read, run for two rows    {shortest - version:8.1f} ms more than --version; files written too")

    rows = 10**6
    long = lines[:start] + ["duration = 1000", f"output_interval = {1000 / rows}"] + lines[start:]
    pathlib.Path("long.toml").write_text("\n".join(long) + "\n")
    begin = time.perf_counter()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True}
    subprocess.run([program, "run", "long.toml", "-q", "--no-report", "-o", "long"], **quiet)
    whole = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    size = os.path.getsize("long/results.csv") / 1e6
    print(f"run of {rows} rows             {whole:8.2f} s, {size / whole:.0f} MB/s of CSV all in all, at most {peak:.0f} MB of memory")
    begin = time.perf_counter()
    subprocess.run([program, "convert", "long", "--to", "csv", "-o", "again.csv"], **quiet)
    again = time.perf_counter() - begin
    print(f"its log to CSV once more           {again:8.2f} s, {size / again:.0f} MB/s")
