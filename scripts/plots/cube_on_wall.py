#!/usr/bin/python3
"""cube_on_wall.py LIMBER FOLDER: a cube that hangs on a wall, by springs and by finite elements, at three resolutions.

After G. Debunne, M. Desbrun, M.-P. Cani and A. H. Barr: Adaptive Simulation of Soft Bodies in Real-Time (2000), section
2.6, and Dynamic Real-Time Deformations using Space and Time Adaptive Sampling (2001), section 3.1, whose meshes of the
cube have 27, 57 and 135 nodes. Here there are several such meshes of each size, made at random.

LIMBER is the command. Draws cube-on-wall.svg and damped-cube.svg into FOLDER and prints the tables of
docs/tetrahedra.md. The target `plots` calls this.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy

try:
    import cube_meshes
except ImportError:
    sys.exit("cube_on_wall.py: scipy is missing; on Debian: apt install python3-scipy")
from draw import plt, save

MESHES_PER_SIZE = 8
DRAWN_PER_SIZE = 5
FINE_CELLS = 14
COLORS = {27: "#d62728", 57: "#222222", 135: "#1f77b4"}
FINE_COLOR = "#b8b8b8"
FRAME_RATE = 200

LAWS = {
    "springs": {"kind": "springs"},
    "linear": {"kind": "linear"},
    "linear, boundary paper": {"kind": "linear", "boundary": "paper"},
    "green": {"kind": "green"},
    "corotational": {"kind": "corotational"},
    "neo-hookean": {"kind": "neo-hookean"},
}

# Soft enough to swing by a fifth of a metre, firm enough for Green's law not to collapse at the wall.
UNDAMPED = {"density": 1000, "youngsModulus": 300000, "poissonsRatio": 0.3, "stiffnessDamping": 0, "massDamping": 0}

# lambda = 40,000 Pa and mu = 100,000 Pa, as in the paper of 2000, which does not say how much damping it has.
LAMBDA, MU = 40e3, 100e3
DAMPED = {"density": 1000, "youngsModulus": MU * (3 * LAMBDA + 2 * MU) / (LAMBDA + MU),
          "poissonsRatio": LAMBDA / (2 * (LAMBDA + MU)), "stiffnessDamping": 0.03, "massDamping": 0}


def make_scene(mesh, law, material, seconds):
    """One side attached to the wall x = 0, released under gravity. The probe is a free bottom corner."""
    return {
        "limber": 1,
        "name": "Cube on a wall",
        "frameRate": FRAME_RATE,
        "frames": int(seconds * FRAME_RATE),
        "gravity": [0, -9.81, 0],
        "regions": {"wall": {"halfSpace": {"point": [0.001, 0, 0], "normal": [1, 0, 0]}}},
        "bodies": [{
            "name": "cube",
            "mesh": {"kind": "file", "file": mesh},
            "law": law,
            "integrator": {"kind": "velocity-verlet"},
            "material": material,
            "position": [0.5, 0.5, 0],
        }],
        "pins": [{"name": "wall", "body": "cube", "region": "wall"}],
        "probes": [{"name": "corner", "what": "position", "body": "cube", "point": [1, 0, 0.5]}],
    }


def run_cube(limber, mesh, law, material, seconds):
    """Times and heights of the corner."""
    with tempfile.TemporaryDirectory() as folder:
        path, scene, table = (os.path.join(folder, name) for name in ("cube.mesh", "scene.json", "probes.csv"))
        cube_meshes.write_mesh(path, *mesh)
        with open(scene, "w", encoding="utf-8") as file:
            json.dump(make_scene(path, law, material, seconds), file)
        run = subprocess.run([limber, "run", scene, "--probes", table, "--quiet"], capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"cube_on_wall.py: {run.stderr}")
        with open(table, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    time, height = (next(key for key in rows[0] if key.startswith(name)) for name in ("time", "corner.y"))
    return numpy.array([float(row[time]) for row in rows]), numpy.array([float(row[height]) for row in rows])


def run_all(limber, meshes, law, material, seconds):
    """Runs of each mesh, by their number of nodes and, for fine ones, pattern."""
    return {key: [run_cube(limber, mesh, law, material, seconds) for mesh in group] for key, group in meshes.items()}


def make_meshes():
    meshes = {nodes: cube_meshes.random_cubes(MESHES_PER_SIZE, nodes) for nodes in cube_meshes.PAPERS}
    meshes["five"] = [cube_meshes.grid_cube(FINE_CELLS, cube_meshes.FIVE)]
    meshes["six"] = [cube_meshes.grid_cube(FINE_CELLS, cube_meshes.SIX)]
    return meshes


def fit_swing(run):
    """Period and amplitude of the sine that fits best."""
    times, heights = run
    best = None
    for period in numpy.geomspace(0.2, 1.2, 2000):
        angle = 2 * numpy.pi * times / period
        basis = numpy.stack([numpy.ones_like(times), numpy.cos(angle), numpy.sin(angle)], axis=1)
        weights, residual, _, _ = numpy.linalg.lstsq(basis, heights, rcond=None)
        if best is None or residual[0] < best[0]:
            best = residual[0], period, numpy.hypot(weights[1], weights[2])
    return best[1:]


# ---- Drawing ---------------------------------------------------------------------------------------------------------


def draw_run(axes, run, seconds, **style):
    """Every third frame, which is enough to the eye."""
    count = int(seconds * FRAME_RATE) + 1
    axes.plot(run[0][:count:3], run[1][:count:3], **style)


def draw_runs(axes, runs, seconds):
    fine = (FINE_CELLS + 1)**3
    draw_run(axes, runs["five"][0], seconds, color=FINE_COLOR, linewidth=4, zorder=1, label=f"{fine:,} nodes")
    for nodes, color in COLORS.items():
        for k, run in enumerate(runs[nodes][:DRAWN_PER_SIZE]):
            label = f"{nodes} nodes, {DRAWN_PER_SIZE} meshes" if k == 0 else None
            draw_run(axes, run, seconds, color=color, linewidth=0.7, zorder=2, label=label)
    axes.set(xlim=(0, seconds))


def put_legend(figure, axes):
    legend = figure.legend(*axes.get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0), ncols=4)
    for line in legend.get_lines():
        line.set(linewidth=max(1.5, line.get_linewidth()))


# ---- Tables ----------------------------------------------------------------------------------------------------------


def show_number(numbers):
    """Mean and standard deviation."""
    return f"{numpy.mean(numbers):.3f} ± {numpy.std(numbers, ddof=1):.3f}"


def print_table(title, rows):
    """rows: {law: {mesh: numbers}}"""
    fine = f"{(FINE_CELLS + 1)**3:,} nodes, cells cut into"
    print(f"\n{title}\n\n| law | 27 nodes | 57 nodes | 135 nodes | {fine} five | the same, into six |\n{'| --- ' * 6}|")
    for law, numbers in rows.items():
        coarse = " | ".join(show_number(numbers[nodes]) for nodes in COLORS)
        print(f"| {law} | {coarse} | {numbers['five'][0]:.3f} | {numbers['six'][0]:.3f} |")


# ---- The two studies -------------------------------------------------------------------------------------------------


def compare_laws(limber, meshes, folder):
    seconds, shown = 2.5, 1.6
    figure, plots = plt.subplots(2, 3, figsize=(12.6, 6.6), layout="constrained", sharex=True, sharey=True)
    periods, amplitudes = {}, {}
    for (name, law), axes in zip(LAWS.items(), plots.flat):
        runs = run_all(limber, meshes, law, UNDAMPED, seconds)
        fits = {key: [fit_swing(run) for run in group] for key, group in runs.items()}
        periods[name] = {key: [period for period, _ in group] for key, group in fits.items()}
        amplitudes[name] = {key: [amplitude for _, amplitude in group] for key, group in fits.items()}
        draw_runs(axes, runs, shown)
        axes.set(title=name)
    for axes in plots[1]:
        axes.set(xlabel="time, s")
    for axes in plots[:, 0]:
        axes.set(ylabel="height of the corner, m")
    put_legend(figure, plots[0, 0])
    save(figure, folder, "cube-on-wall.svg")
    print_table("Period, s", periods)
    print_table("Amplitude, m", amplitudes)


def show_damped(limber, meshes, folder):
    seconds = 3
    figure, plots = plt.subplots(1, 3, figsize=(12.6, 3.6), layout="constrained", sharey=True)
    heights = {}
    for name, axes in zip(("springs", "linear", "linear, boundary paper"), plots):
        runs = run_all(limber, meshes, LAWS[name], DAMPED, seconds)
        heights[name] = {key: [run[1][-1] for run in group] for key, group in runs.items()}
        draw_runs(axes, runs, seconds)
        axes.set(title=name, xlabel="time, s")
    plots[0].set(ylabel="height of the corner, m")
    put_legend(figure, plots[0])
    save(figure, folder, "damped-cube.svg")
    print_table("Height of the corner at rest, m", heights)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    limber, folder = sys.argv[1:]
    meshes = make_meshes()
    compare_laws(limber, meshes, folder)
    show_damped(limber, meshes, folder)


if __name__ == "__main__":
    main()
