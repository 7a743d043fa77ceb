#!/usr/bin/env python3
"""Processor time of `polhode audit` on a million rows, and of `polhode convert` on the same quaternions.

    bench/logs/audit_speed.py build/polhode
"""
import math
import os
import resource
import subprocess
import sys
import tempfile

ROWS = 1_000_000


def product(a, b):
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def write_logs(log, quaternions):
    """A free body with moments 1, 1, 2: exact."""
    w = (0.3, 0.5, 0.9)
    h = (w[0], w[1], 2 * w[2])
    size = math.hypot(*h)
    with open(log, "w") as rows, open(quaternions, "w") as attitudes:
        rows.write("t,qw,qx,qy,qz,wx,wy,wz\n")
        for k in range(ROWS):
            t = 0.05 * k
            a, b = size * t / 2, w[2] * t / 2
            along = [math.sin(a) * x / size for x in h]
            e = product((math.cos(a), *along), (math.cos(b), 0, 0, -math.sin(b)))
            c, s = math.cos(w[2] * t), math.sin(w[2] * t)
            text = ",".join(f"{x:.12g}" for x in e)
            rows.write(f"{t:.10g},{text},{w[0] * c - w[1] * s:.12g},{w[0] * s + w[1] * c:.12g},{w[2]}\n")
            attitudes.write(text + "\n")


def processor_time(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        log, quaternions = os.path.join(folder, "log.csv"), os.path.join(folder, "quaternions.csv")
        write_logs(log, quaternions)
        audit = min(processor_time([program, "audit", log, "--inertia", "1,1,2", "-q"]) for _ in range(3))
        convert = min(
            processor_time([program, "convert", "--from", "quaternion_wxyz", "--to", "quaternion_xyzw", "-i", quaternions])
            for _ in range(3)
        )
    print(f"{ROWS} rows: audit {audit:.2f} s, convert {convert:.2f} s, ratio {audit / convert:.1f}")


main()
