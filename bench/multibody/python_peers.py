#!/usr/bin/env python3
"""Forward dynamics of mechanisms, against engines that are Python packages: Pinocchio, MuJoCo, Exudyn.

    python3 -m venv build/peers && build/peers/bin/pip install -r bench/multibody/requirements.txt
    build/peers/bin/python bench/multibody/python_peers.py build/release/bench/bench_multibody

State in, accelerations out: an open chain of n hinged rods, and the N-four-bar. Accelerations must agree with ours,
and ours of the N-four-bar with their closed form, before a time is printed; an engine that differs is not timed, and
the exit status is 1. `--gravity 9.82` gives the others another gravity than ours: then all must be refused.

Times are CPU microseconds of one evaluation, the least of many blocks; blocks of all engines take turns. Python is not
charged: from the time of a call the time of the same call on a model without bodies is taken off (Pinocchio, MuJoCo);
steps of Exudyn are the difference of a run of 2k steps and one of k steps.
"""
import argparse
import importlib
import json
import math
import os
import subprocess
import sys
import time

GRAVITY = 9.81
CHAINS = (10, 100, 300, 1000)
WINDOWS = (2, 10, 40, 160)
ROUNDS = 60  # fewer, but not less than 10, where they would take longer than MOST_SECONDS
MOST_SECONDS = 3
BLOCK_SECONDS = 0.002  # short: on a busy machine a few of them find the core alone
# Largest error of an acceleration, relative to the largest acceleration. Rounding, for engines of articulated bodies.
CHAIN_TOLERANCE = 1e-9
FOUR_BAR_TOLERANCE = 1e-7  # some 5e-8 are measured where constraints are regularised, with PinocchioLoopAba


def chain_tolerance(engine, n):
    """The condition number of the chain's mass matrix is some 0.35 n^4 (measured for n from 10 to 300), and so grows
    the error of engines that factor it: a quarter of n^4 epsilon/20 is measured at the most."""
    if not engine.factors_mass_matrix:
        return CHAIN_TOLERANCE
    return max(CHAIN_TOLERANCE, n**4 * sys.float_info.epsilon / 20)


class Ours:
    """bench_multibody in another process, which does and times what it is asked for."""

    def __init__(self, program):
        try:
            self.process = subprocess.Popen([program, "answer-requests"], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, text=True)
        except OSError as problem:
            sys.exit(f"python_peers.py: cannot run '{program}' ({problem.strerror}); tools/build benchmarks builds it")

    def ask(self, request):
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"python_peers.py: bench_multibody did not answer '{request}'")
        return json.loads(answer)

    def seconds(self, count):
        return self.ask(f"time {count}")

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Calls:
    """Time of one call of `run`, less that of `nothing`: the same call on a model without bodies."""

    def __init__(self, run, nothing):
        self.run, self.nothing = run, nothing
        self.count = count_for(lambda k: timed(run, k))
        self.least, self.least_nothing = math.inf, math.inf

    def round(self):
        timed(self.run, 1 + self.count // 4)  # brings its own code and data into the caches
        self.least = min(self.least, timed(self.run, self.count) / self.count)
        self.least_nothing = min(self.least_nothing, timed(self.nothing, self.count) / self.count)

    def seconds(self):
        return self.least - self.least_nothing


def timed(run, count):
    before = time.process_time()
    for _ in range(count):
        run()
    return time.process_time() - before


def count_for(seconds_of):
    """So many evaluations that a block takes about BLOCK_SECONDS."""
    count = 1
    while True:
        seconds = seconds_of(count)
        if seconds >= BLOCK_SECONDS / 4:
            return max(1, round(count * BLOCK_SECONDS / seconds))
        count *= 4


class OurBlocks:
    def __init__(self, ours):
        self.ours = ours
        self.count = count_for(ours.seconds)
        self.least = math.inf

    def round(self):
        self.ours.seconds(1 + self.count // 4)
        self.least = min(self.least, self.ours.seconds(self.count) / self.count)

    def seconds(self):
        return self.least


class Pinocchio:
    label, package, requirement = "Pinocchio", "pinocchio", "pin"
    tolerance = FOUR_BAR_TOLERANCE

    @staticmethod
    def rod(centre, moments):
        return pinocchio.Inertia(1.0, numpy.array(centre), numpy.diag(moments))

    @staticmethod
    def at(x, y, z):
        return pinocchio.SE3(numpy.eye(3), numpy.array([float(x), float(y), float(z)]))

    @staticmethod
    def needed_memory(freedoms):
        """Bytes: pinocchio.Data has four tensors of freedoms^3 numbers for second derivatives, wanted or not."""
        return 4 * 8 * freedoms**3


class PinocchioChain(Pinocchio):
    name = "Pinocchio aba"
    factors_mass_matrix = False

    def __init__(self, state, gravity):
        n = len(state["angles"])
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if self.needed_memory(n) > free / 2:
            raise MemoryError(f"its Data would take {self.needed_memory(n) / 1e9:.0f} GB (tensors of n^3 numbers)")
        model = pinocchio.Model()
        model.gravity.linear = numpy.array([0, 0, -gravity])
        joint = 0
        for i in range(n):
            kind = pinocchio.JointModelRY if i % 2 == 0 else pinocchio.JointModelRX
            joint = model.addJoint(joint, kind(), self.at(0, 0, -1 if i else 0), f"hinge {i}")
            model.appendBodyToJoint(joint, self.rod([0, 0, -0.5], CHAIN_MOMENTS), pinocchio.SE3.Identity())
        self.model, self.data = model, model.createData()
        self.q, self.v, self.tau = numpy.array(state["angles"]), numpy.array(state["rates"]), numpy.zeros(n)

    def accelerations(self):
        return pinocchio.aba(self.model, self.data, self.q, self.v, self.tau, WORLD).copy()

    def blocks(self):
        aba, nothing, none = pinocchio.aba, pinocchio.Model(), numpy.zeros(0)
        nothing_data = nothing.createData()
        model, data, q, v, tau = self.model, self.data, self.q, self.v, self.tau
        return Calls(lambda: aba(model, data, q, v, tau, WORLD),
                     lambda: aba(nothing, nothing_data, none, none, none, WORLD))


class PinocchioFourBar(Pinocchio):
    """Points held together, 3 rows a loop: one of them is redundant in a plane, which its proximal iteration allows."""

    name = "Pinocchio constraintDynamics"
    largest = 40  # beyond, its time grows with N^3, and lcaba's error beyond the tolerance
    settings = (1e-10, 1e-6, 100)  # accuracy, mu, iterations

    def __init__(self, state, gravity):
        model = pinocchio.Model()
        model.gravity.linear = numpy.array([0, -gravity, 0])
        n = len(state["angles"]) - 1
        uprights, bars = [], []
        for i in range(n + 1):
            uprights.append(model.addJoint(0, pinocchio.JointModelRZ(), self.at(i, 0, 0), f"foot {i}"))
            model.appendBodyToJoint(uprights[i], self.rod([0, 0.5, 0], UPRIGHT_MOMENTS), pinocchio.SE3.Identity())
            if i < n:
                bars.append(model.addJoint(uprights[i], pinocchio.JointModelRZ(), self.at(0, 1, 0), f"left {i}"))
                model.appendBodyToJoint(bars[i], self.rod([0.5, 0, 0], BAR_MOMENTS), pinocchio.SE3.Identity())
        self.loops = pinocchio.StdVec_RigidConstraintModel()
        for i in range(n):
            self.loops.append(pinocchio.RigidConstraintModel(
                pinocchio.ContactType.CONTACT_3D, model, bars[i], self.at(1, 0, 0), uprights[i + 1], self.at(0, 1, 0),
                pinocchio.ReferenceFrame.LOCAL))
        self.q, self.v, self.tau = numpy.zeros(model.nq), numpy.zeros(model.nv), numpy.zeros(model.nv)
        self.uprights = [model.joints[j].idx_v for j in uprights]
        bars = [model.joints[j].idx_v for j in bars]
        self.q[self.uprights] = -numpy.array(state["angles"])
        self.v[self.uprights] = -numpy.array(state["rates"])
        self.q[bars], self.v[bars] = -self.q[self.uprights[:-1]], -self.v[self.uprights[:-1]]
        self.model, self.data = model, model.createData()
        self.loop_data = pinocchio.StdVec_RigidConstraintData()
        for loop in self.loops:
            self.loop_data.append(loop.createData())
        self.call = self.prepared(self.model, self.data, self.loops, self.loop_data)

    @staticmethod
    def prepared(model, data, loops, loop_data):
        pinocchio.initConstraintDynamics(model, data, loops, loop_data)
        return pinocchio.constraintDynamics

    def accelerations(self):
        settings = pinocchio.ProximalSettings(*self.settings)
        return -self.call(self.model, self.data, self.q, self.v, self.tau, self.loops, self.loop_data,
                          settings)[self.uprights]

    def blocks(self):
        call, settings = self.call, pinocchio.ProximalSettings(*self.settings)
        model, data, q, v, tau, loops, loop_data = (self.model, self.data, self.q, self.v, self.tau, self.loops,
                                                    self.loop_data)
        nothing, none = pinocchio.Model(), numpy.zeros(0)
        nothing_data = nothing.createData()
        no_loops, no_loop_data = pinocchio.StdVec_RigidConstraintModel(), pinocchio.StdVec_RigidConstraintData()
        self.prepared(nothing, nothing_data, no_loops, no_loop_data)
        return Calls(lambda: call(model, data, q, v, tau, loops, loop_data, settings),
                     lambda: call(nothing, nothing_data, none, none, none, no_loops, no_loop_data, settings))


class PinocchioLoopAba(PinocchioFourBar):
    """Articulated bodies with loops. A smaller mu takes fewer iterations and leaves a larger error: this one is the
    quickest of 1e-2, 1e-3, ... that stays within the tolerance."""

    name = "Pinocchio lcaba"
    settings = (1e-10, 1e-5, 100)

    @staticmethod
    def prepared(model, data, loops, loop_data):
        pinocchio.computeJointMinimalOrdering(model, data, loops)
        return pinocchio.lcaba


class Mujoco:
    label, package, requirement = "MuJoCo", "mujoco", "mujoco"
    factors_mass_matrix = True

    @staticmethod
    def specification(gravity):
        spec = mujoco.MjSpec()
        spec.compiler.degree = False
        spec.option.gravity = gravity
        # no search for contacts, no islands (all is one), no answer of the last call as a start of the next
        off = mujoco.mjtDisableBit
        spec.option.disableflags = int(off.mjDSBL_CONTACT) | int(off.mjDSBL_ISLAND) | int(off.mjDSBL_WARMSTART)
        return spec

    @staticmethod
    def rod(parent, name, position, axis, centre, moments):
        body = parent.add_body(name=name, pos=position, mass=1, ipos=centre, inertia=moments, explicitinertial=True)
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis)
        return body

    def blocks(self):
        forward, model, data = mujoco.mj_forward, self.model, self.data
        nothing = self.specification([0, 0, 0]).compile()
        nothing_data = mujoco.MjData(nothing)
        return Calls(lambda: forward(model, data), lambda: forward(nothing, nothing_data))


class MujocoChain(Mujoco):
    name = "MuJoCo mj_forward"

    def __init__(self, state, gravity):
        spec = self.specification([0, 0, -gravity])
        body = spec.worldbody
        for i in range(len(state["angles"])):
            body = self.rod(body, f"rod {i}", [0, 0, -1 if i else 0], [0, 1, 0] if i % 2 == 0 else [1, 0, 0],
                            [0, 0, -0.5], CHAIN_MOMENTS)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.data.qpos[:], self.data.qvel[:] = state["angles"], state["rates"]

    def accelerations(self):
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc.copy()


class MujocoFourBar(Mujoco):
    """Points held together, 3 rows a loop, softly: the softness is 1e-4 at the least, relative to a weight of the
    model, and changes accelerations by 5e-4 at N = 40 and 2e-3 at N = 160. With a thousandth of that weight they come
    as near to ours as rounding allows, in the same time."""

    name = "MuJoCo mj_forward"
    largest = 160
    tolerance = 1e-5

    def __init__(self, state, gravity):
        spec = self.specification([0, -gravity, 0])
        n = len(state["angles"]) - 1
        for i in range(n + 1):
            upright = self.rod(spec.worldbody, f"upright {i}", [i, 0, 0], [0, 0, 1], [0, 0.5, 0], UPRIGHT_MOMENTS)
            if i < n:
                self.rod(upright, f"bar {i}", [0, 1, 0], [0, 0, 1], [0.5, 0, 0], BAR_MOMENTS)
                spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY, name1=f"bar {i}",
                                  name2=f"upright {i + 1}", data=[1] + [0] * (mujoco.mjNEQDATA - 1),
                                  solimp=[0.9999, 0.9999, 0.001, 0.5, 2])
        self.model = spec.compile()
        # A thousandth of the weight that softness is measured by: see `tolerance`.
        self.model.body_invweight0[:] *= 1e-3
        self.data = mujoco.MjData(self.model)
        joint_of = lambda name: self.model.body(name).dofadr[0]
        self.uprights = [joint_of(f"upright {i}") for i in range(n + 1)]
        bars = [joint_of(f"bar {i}") for i in range(n)]
        angles, rates = numpy.array(state["angles"]), numpy.array(state["rates"])
        self.data.qpos[self.uprights], self.data.qvel[self.uprights] = -angles, -rates
        self.data.qpos[bars], self.data.qvel[bars] = angles[:-1], rates[:-1]

    def accelerations(self):
        mujoco.mj_forward(self.model, self.data)
        return -self.data.qacc[self.uprights]


class Exudyn:
    label, package, requirement = "Exudyn", "exudyn", "exudyn"
    tolerance = FOUR_BAR_TOLERANCE
    factors_mass_matrix = True

    def run(self, steps, step):
        settings = exudyn.SimulationSettings()
        settings.timeIntegration.numberOfSteps = steps
        settings.timeIntegration.endTime = steps * step
        settings.timeIntegration.verboseMode = 0
        settings.solution.file.write = False
        settings.solution.sensors.writePeriod = 1e9
        settings.timeIntegration.newton.modifiedNewtonJacUpdatePerStep = True  # as often as we factor
        settings.linearSolver.solverType = self.linear_solver
        self.system.SolveDynamic(settings, solverType=self.method, showHints=False, showCausingItems=False)
        return numpy.array(self.system.systemData.GetODE2Coordinates_t())

    def blocks(self):
        return ExudynBlocks(self)


class ExudynBlocks:
    def __init__(self, engine):
        self.engine = engine
        self.least, self.least_twice = math.inf, math.inf
        # A run costs much more than a few steps: the second half of 2k steps must take as long as other blocks.
        self.count = count_for(lambda k: self.seconds_of_run(2 * k) - self.seconds_of_run(k))

    def seconds_of_run(self, steps):
        before = time.process_time()
        self.engine.run(steps, self.engine.step)
        return time.process_time() - before

    def round(self):
        self.least = min(self.least, self.seconds_of_run(self.count))
        self.least_twice = min(self.least_twice, self.seconds_of_run(2 * self.count))

    def seconds(self):
        return (self.least_twice - self.least) / self.count


class ExudynChain(Exudyn):
    """Its kinematic tree, in minimal coordinates, by steps of the explicit Euler method: one evaluation each."""

    name = "Exudyn explicit step"
    step = 1e-9  # so short that the state stays

    def __init__(self, state, gravity):
        n = len(state["angles"])
        self.container = exudyn.SystemContainer()
        self.system = self.container.AddSystem()
        self.rates = numpy.array(state["rates"])
        node = self.system.AddNode(exudyn_items.NodeGenericODE2(
            referenceCoordinates=[0.0] * n, initialCoordinates=state["angles"], initialCoordinates_t=state["rates"],
            numberOfODE2Coordinates=n))
        joint = exudyn.JointType
        self.system.AddObject(exudyn_items.ObjectKinematicTree(
            nodeNumber=node, gravity=[0, 0, -gravity],
            jointTypes=[joint.RevoluteY if i % 2 == 0 else joint.RevoluteX for i in range(n)],
            linkParents=list(range(-1, n - 1)), jointTransformations=exudyn.Matrix3DList([numpy.eye(3)] * n),
            jointOffsets=exudyn.Vector3DList([numpy.array([0, 0, -1.0 if i else 0.0]) for i in range(n)]),
            linkInertiasCOM=exudyn.Matrix3DList([numpy.diag(CHAIN_MOMENTS)] * n),
            linkCOMs=exudyn.Vector3DList([numpy.array([0, 0, -0.5])] * n), linkMasses=[1.0] * n))
        self.system.Assemble()
        self.method = exudyn.DynamicSolverType.ExplicitEuler
        self.linear_solver = exudyn.LinearSolverType.EigenDense  # the quickest of its four here

    def accelerations(self):
        return self.run(1, 1.0) - self.rates  # v + 1 s times the acceleration at the start


class ExudynFourBar(Exudyn):
    """Bodies and hinges in the plane, without redundant rows. Its explicit methods take no joints: these are steps of
    the trapezoidal rule, each with one Jacobian, factored once, and one Newton iteration."""

    name = "Exudyn implicit step"
    largest = 40
    step = 1e-6

    def __init__(self, state, gravity):
        n = len(state["angles"]) - 1
        self.container = exudyn.SystemContainer()
        self.system = system = self.container.AddSystem()
        self.rates = numpy.array(state["rates"])
        ground = system.AddObject(exudyn_items.ObjectGround())

        def body(x, y, angle, velocity, rate):
            node = system.AddNode(exudyn_items.NodeRigidBody2D(referenceCoordinates=[x, y, angle],
                                                               initialVelocities=[*velocity, rate]))
            made = system.AddObject(exudyn_items.ObjectRigidBody2D(mass=1, inertia=1 / 12, nodeNumber=node))
            mass = system.AddMarker(exudyn_items.MarkerBodyMass(bodyNumber=made))
            system.AddLoad(exudyn_items.LoadMassProportional(markerNumber=mass, loadVector=[0, -gravity, 0]))
            return made

        def hinge(first, first_point, second, second_point):
            ends = [system.AddMarker(exudyn_items.MarkerBodyPosition(bodyNumber=end, localPosition=[*point, 0]))
                    for end, point in ((first, first_point), (second, second_point))]
            system.AddObject(exudyn_items.ObjectJointRevolute2D(markerNumbers=ends))

        uprights = []
        tops = [(i + math.sin(angle), math.cos(angle)) for i, angle in enumerate(state["angles"])]
        top_velocities = [(rate * math.cos(angle), -rate * math.sin(angle))
                          for angle, rate in zip(state["angles"], state["rates"])]
        for i in range(n + 1):
            (x, y), (vx, vy) = tops[i], top_velocities[i]
            uprights.append(body((i + x) / 2, y / 2, -state["angles"][i], (vx / 2, vy / 2), -state["rates"][i]))
            hinge(ground, (i, 0), uprights[i], (0, -0.5))
        for i in range(n):
            bar = body(tops[i][0] + 0.5, tops[i][1], 0, top_velocities[i], 0)
            hinge(uprights[i], (0, 0.5), bar, (-0.5, 0))
            hinge(bar, (0.5, 0), uprights[i + 1], (0, 0.5))
        system.Assemble()
        self.method = exudyn.DynamicSolverType.TrapezoidalIndex2
        solver = exudyn.LinearSolverType
        self.linear_solver = solver.EXUdense if n <= 2 else solver.EigenSparse  # the quicker one

    def accelerations(self):
        # (v(h) - v(0))/h = a + O(h), extrapolated to h = 0
        h = 1e-5
        turns = [3 * i + 2 for i in range(len(self.rates))]
        mean = [(-self.run(1, step)[turns] - self.rates) / step for step in (h, 2 * h)]
        return 2 * mean[0] - mean[1]


# Our rows of a loop, and who is measured again beside them.
ALL = ("Pinocchio constraintDynamics", "Pinocchio lcaba", "MuJoCo mj_forward", "Exudyn implicit step")
CLOSINGS = (("revolute", "5 rows a loop, 3 of them redundant; 3 rows in Pinocchio and MuJoCo, 2 in Exudyn", ALL),
            ("spherical", "3 rows a loop, 1 of them redundant, as in Pinocchio and MuJoCo", ALL[2:3]),
            ("point-on-line", "2 rows a loop, none of them redundant", ALL[2:3]))
CHAIN_MOMENTS = (1.01 / 12, 1.01 / 12, 0.02 / 12)
UPRIGHT_MOMENTS = (1 / 12, 1e-3, 1 / 12)
BAR_MOMENTS = (1e-3, 1 / 12, 1 / 12)


def error_of(found, wanted):
    """Relative to the largest; a NaN counts as infinite."""
    error = float(numpy.max(numpy.abs(numpy.asarray(found) - wanted)) / numpy.max(numpy.abs(wanted)))
    return error if error == error else math.inf


def compare(ours, request, engines, tolerance_of, gravity):
    """One row of the table; false where accelerations differ."""
    state = ours.ask(request)
    wanted = numpy.array(state["accelerations"])
    blocks, remarks, agree = [OurBlocks(ours)], [], True
    measured = []
    for engine in engines:
        try:
            peer = engine(state, gravity)
            error = error_of(peer.accelerations(), wanted)
        except MemoryError as problem:
            remarks.append(f"{engine.name} is left out: {problem}")
            continue
        if error > tolerance_of(engine):
            remarks.append(f"{engine.name} is not timed: its accelerations differ from ours by {error:.1e}, "
                           f"{tolerance_of(engine):.1e} is allowed")
            agree = False
            continue
        measured.append((engine, error))
        blocks.append(peer.blocks())
    end = time.process_time() + MOST_SECONDS
    for i in range(ROUNDS):
        if i >= 10 and time.process_time() > end:
            break
        for block in blocks:
            block.round()
    ours_us = 1e6 * blocks[0].seconds()
    print(f"{request:<26}  polhode {ours_us:.2f}", end="")
    for (engine, error), block in zip(measured, blocks[1:]):
        us = 1e6 * block.seconds()
        print(f" | {engine.name} {us:.2f} ({us / ours_us:.2f}; differs by {error:.0e})", end="")
    print()
    for remark in remarks:
        print(f"{'':<26}  {remark}")
    sys.stdout.flush()
    return agree


def exact_four_bar(state):
    """All uprights stay parallel: ((N+1)/3 + N) θ̈ = ((N+1)/2 + N) g sin θ."""
    n = len(state["angles"]) - 1
    return ((n + 1) / 2 + n) / ((n + 1) / 3 + n) * GRAVITY * numpy.sin(state["angles"])


def installed(words):
    """The modules that can be imported, by package; says what is missing, and in which version the rest is here."""
    modules = {}
    sys.exudynFast = True  # Exudyn without checks of ranges
    for family in (Pinocchio, Mujoco, Exudyn):
        try:
            modules[family.package] = importlib.import_module(family.package)
        except ImportError as problem:
            print(f"{family.label} is not measured: the Python package '{family.requirement}' is not installed ({problem})")
            continue
        words.append(f"{family.label} {modules[family.package].__version__}")
    return modules


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="bench_multibody")
    parser.add_argument("--gravity", type=float, default=GRAVITY, help="of the others, m/s^2")
    options = parser.parse_args()
    versions = []
    modules = installed(versions)
    if not modules:
        print("Nothing to compare with; in a virtual environment: pip install -r bench/multibody/requirements.txt")
        return 0
    globals().update(modules)
    globals()["numpy"] = importlib.import_module("numpy")
    if "pinocchio" in modules:
        globals()["WORLD"] = pinocchio.Convention.WORLD  # quicker than LOCAL, its default
    if "exudyn" in modules:
        globals()["exudyn_items"] = importlib.import_module("exudyn.itemInterface")
        exudyn.config.printToConsole = False
    ours = Ours(options.program)
    here = lambda engines: [engine for engine in engines if engine.package in modules]
    print(f"{', '.join(versions)}: one evaluation, microseconds of CPU, least of up to {ROUNDS} blocks in turn; in brackets "
          "multiples of ours, and by how much accelerations differ, relative to the largest")
    agree = True
    for n in CHAINS:
        agree &= compare(ours, f"chain {n}", here((PinocchioChain, MujocoChain, ExudynChain)),
                         lambda engine: chain_tolerance(engine, n), options.gravity)
    four_bars = here((PinocchioFourBar, PinocchioLoopAba, MujocoFourBar, ExudynFourBar))
    for closing, note, engines in CLOSINGS:
        print(f"N-four-bar, our loops closed by joints '{closing}': {note}")
        for n in WINDOWS:
            request = f"four-bar {n} {closing}"
            state = ours.ask(request)
            error = error_of(state["accelerations"], exact_four_bar(state))
            if error > 1e-12:  # rounding: some 1e-15 measured
                sys.exit(f"python_peers.py: our accelerations, {request}, are off by {error:.1e}")
            agree &= compare(ours, request,
                             [engine for engine in four_bars if engine.name in engines and n <= engine.largest],
                             lambda engine: engine.tolerance, options.gravity)
    ours.end()
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
