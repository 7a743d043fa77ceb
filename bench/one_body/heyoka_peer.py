#!/usr/bin/env python3
"""The Taylor method of Polhode against that of heyoka: least CPU time for an attitude right to 1e-9 rad at the end.

    python3 bench/one_body/heyoka_peer.py [build/release/bench/bench_one_body]

Needs the packages heyoka and numpy. Five motions (taylor_problems.cpp); the answers of the two are compared first. heyoka
may choose: equations as they stand, or with the directions that act carried as further functions, and lanes
(slp_vectorize) or none, whichever is quicker. The time that it takes to compile them is not counted. Both take turns, and
of all rounds the least counts. It takes some minutes, most of them to compile.
"""
import itertools
import json
import math
import subprocess
import sys
import time

import heyoka as hy
import numpy

GOAL = 1e-9  # rad
ROUNDS = 3


def equations(problem, further):
    """ydot of a problem, and the initial values of what is carried along."""
    e = hy.make_vars("e0", "e1", "e2", "e3")
    w = hy.make_vars("w1", "w2", "w3")
    j1, j2, j3 = problem["moments"]
    weight, orbit = problem["weight"], problem["orbit"]
    start = problem["start"]
    turned = turned_back(e)
    at_start = turned_back(start[:4])
    carried, extra = [], []
    torque = [0.0, 0.0, 0.0]
    if weight > 0:
        if further:
            g = hy.make_vars("g1", "g2", "g3")
            carried = list(zip(g, cross(g, w)))
            extra = at_start(0.0, 0.0, 1.0)
        else:
            g = turned(0.0, 0.0, 1.0)
        torque = [weight * g[1], -weight * g[0], 0.0]  # (0, 0, l) x (-m g) g'
    if orbit > 0:
        if further:
            u = hy.make_vars("u1", "u2", "u3")
            v = hy.make_vars("v1", "v2", "v3")
            udot, vdot = cross(u, w), cross(v, w)
            carried = [(u[i], udot[i] + orbit * v[i]) for i in range(3)]
            carried += [(v[i], vdot[i] - orbit * u[i]) for i in range(3)]
            extra = at_start(1.0, 0.0, 0.0) + at_start(0.0, 1.0, 0.0)
        else:
            u = turned(hy.cos(orbit * hy.time), hy.sin(orbit * hy.time), 0.0)
        k = 3 * orbit * orbit
        torque = [k * (j3 - j2) * u[1] * u[2], k * (j1 - j3) * u[2] * u[0], k * (j2 - j1) * u[0] * u[1]]
    rates = [
        (e[0], -0.5 * (e[1] * w[0] + e[2] * w[1] + e[3] * w[2])),
        (e[1], 0.5 * (e[0] * w[0] + e[2] * w[2] - e[3] * w[1])),
        (e[2], 0.5 * (e[0] * w[1] + e[3] * w[0] - e[1] * w[2])),
        (e[3], 0.5 * (e[0] * w[2] + e[1] * w[1] - e[2] * w[0])),
        (w[0], (j2 - j3) / j1 * w[1] * w[2] + torque[0] / j1),
        (w[1], (j3 - j1) / j2 * w[2] * w[0] + torque[1] / j2),
        (w[2], (j1 - j2) / j3 * w[0] * w[1] + torque[2] / j3),
    ]
    return rates + carried, list(start) + extra


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def turned_back(e):
    """Space components to body components by the Euler parameters e."""
    e0, e1, e2, e3 = e

    def turn(x, y, z):
        return [
            (e0 * e0 + e1 * e1 - e2 * e2 - e3 * e3) * x + 2 * (e1 * e2 + e0 * e3) * y + 2 * (e1 * e3 - e0 * e2) * z,
            2 * (e1 * e2 - e0 * e3) * x + (e0 * e0 - e1 * e1 + e2 * e2 - e3 * e3) * y + 2 * (e2 * e3 + e0 * e1) * z,
            2 * (e1 * e3 + e0 * e2) * x + 2 * (e2 * e3 - e0 * e1) * y + (e0 * e0 - e1 * e1 - e2 * e2 + e3 * e3) * z,
        ]

    return turn


def angle(a, b):
    """Of the turn from one attitude to the other."""
    d0 = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    d = [a[0] * b[i] - b[0] * a[i] - cross(a[1:4], b[1:4])[i - 1] for i in (1, 2, 3)]
    return 2 * math.atan2(math.hypot(*d), abs(d0))


class Theirs:
    """One set of equations at one tolerance, compiled."""

    def __init__(self, problem, further, lanes, tolerance):
        rates, self.start = equations(problem, further)
        self.start = numpy.array(self.start, dtype=float)
        self.end = problem["end"]
        self.integrator = hy.taylor_adaptive(rates, self.start.copy(), tol=tolerance, slp_vectorize=lanes)

    def run(self):
        self.integrator.time = 0.0
        self.integrator.state[:] = self.start
        self.integrator.propagate_until(self.end)
        return self.integrator.state

    def seconds(self, least_repetitions=5, enough=0.05):
        times = []
        while len(times) < least_repetitions or sum(times) < enough:
            begin = time.thread_time()
            self.run()
            times.append(time.thread_time() - begin)
        return min(times)


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/release/bench/bench_one_body"

    def ours():
        return json.loads(subprocess.run([program, "taylor-problems"], check=True, capture_output=True, text=True).stdout)

    rounds = [ours()]
    contestants = []
    for problem in rounds[0]:
        good = []
        nearest = math.inf
        further = (False, True) if problem["weight"] > 0 or problem["orbit"] > 0 else (False,)
        for carried, lanes in itertools.product(further, (False, True)):
            for half in range(15, 31):
                one = Theirs(problem, carried, lanes, 10 ** (-half / 2))
                error = angle(problem["reference"], one.run())
                nearest = min(nearest, error)
                if error < GOAL:
                    good.append(one)
        if not nearest < GOAL / 10:
            sys.exit(f"{problem['name']}: the answers differ by {nearest:.1e} rad at least")
        good.sort(key=lambda one: one.seconds(3, 0.01))
        contestants.append((nearest, good[:4]))  # the quickest, looked at once more in every round
    theirs = [math.inf] * len(contestants)
    for number in range(ROUNDS):
        if number > 0:
            rounds.append(ours())
        for i, (_, good) in enumerate(contestants):
            theirs[i] = min([theirs[i]] + [one.seconds() for one in good])
    print(f"heyoka {hy.__version__}; least CPU time for {GOAL:g} rad, {ROUNDS} rounds")
    print(f"{'':34}{'polhode':>12}{'heyoka':>12}{'ratio':>8}   answers differ by")
    for i, problem in enumerate(rounds[0]):
        mine = min(one[i]["seconds"] for one in rounds)
        print(f"{problem['name']:34}{mine * 1e3:9.4f} ms{theirs[i] * 1e3:9.4f} ms{theirs[i] / mine:8.2f}"
              f"   {contestants[i][0]:.1e} rad")


main()
