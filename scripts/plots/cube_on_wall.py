#!/usr/bin/python3
"""cube_on_wall.py LIMBER FOLDER: the cube that hangs on a wall, at three resolutions, by springs and by finite elements.

LIMBER is the command. Draws cube-on-wall.svg and damped-cube.svg into FOLDER and prints docs/tetrahedra.md's tables. The
target `plots` calls this.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile

from draw import plt, save

# Of unstructured meshes of the cube. The papers had 27, 57 and 135 nodes.
EDGES = (0.62, 0.5, 0.36)
REFERENCE_EDGE = 0.09
COLORS = ("#d62728", "#222222", "#1f77b4")
FRAME_RATE = 200


def make_scene(law, edge, seconds, material):
    """A cube of 1 m, one side attached to the wall x = 0, released under gravity. The probe is its free bottom corner."""
    return {
        "limber": 1,
        "name": "Cube on a wall",
        "frameRate": FRAME_RATE,
        "frames": int(seconds * FRAME_RATE),
        "gravity": [0, -9.81, 0],
        "regions": {"wall": {"halfSpace": {"point": [0.01, 0, 0], "normal": [1, 0, 0]}}},
        "bodies": [{
            "name": "cube",
            "shape": {"kind": "box", "size": 1, "edge": 0.5},
            "mesh": {"kind": "tets", "edge": edge},
            "law": {"kind": law},
            "integrator": {"kind": "velocity-verlet"},
            "material": {"density": 1000, "massDamping": 0, **material},
            "position": [0.5, 0.5, 0],
        }],
        "pins": [{"name": "wall", "body": "cube", "region": "wall"}],
        "probes": [{"name": "corner", "what": "position", "body": "cube", "point": [1, 0, 0.5]}],
    }


def run_scene(limber, scene):
    """Times, heights of the corner, and how many nodes there are."""
    with tempfile.TemporaryDirectory() as folder:
        scene_path, table_path = os.path.join(folder, "scene.json"), os.path.join(folder, "probes.csv")
        with open(scene_path, "w", encoding="utf-8") as file:
            json.dump(scene, file)
        output = subprocess.run([limber, "run", scene_path, "--probes", table_path, "--json"], check=True,
                                capture_output=True, text=True).stdout
        with open(table_path, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    nodes = json.loads(output.strip().splitlines()[-1])["nodes"]
    time, height = (next(key for key in rows[0] if key.startswith(name)) for name in ("time", "corner.y"))
    return [float(row[time]) for row in rows], [float(row[height]) for row in rows], nodes


def measure_swing(times, heights):
    """Mean period between upward passages through the mean height, and half the distance from top to bottom."""
    middle = (max(heights) + min(heights)) / 2
    passages = []
    for i in range(1, len(heights)):
        before, after = heights[i - 1] - middle, heights[i] - middle
        if before < 0 <= after:
            passages.append(times[i] - after / (after - before) * (times[i] - times[i - 1]))
    # Ripples of higher modes may cross the middle more than once in a swing: those close together are one.
    swings = passages[:1]
    for passage in passages[1:]:
        if passage - swings[-1] > 0.1:
            swings.append(passage)
    period = (swings[-1] - swings[0]) / (len(swings) - 1)
    return period, (max(heights) - min(heights)) / 2


def compare_laws(limber, folder):
    material = {"youngsModulus": 150000, "poissonsRatio": 0.3, "stiffnessDamping": 0}
    laws = ("springs", "linear", "green")
    figure, plots = plt.subplots(1, 3, figsize=(12.6, 3.9), layout="constrained", sharey=True)
    print("| law | nodes | period, s | amplitude, m |\n| --- | --- | --- | --- |")
    for law, axes in zip(laws, plots):
        for edge, color in (*zip(EDGES, COLORS), (REFERENCE_EDGE, "#bbbbbb")):
            times, heights, nodes = run_scene(limber, make_scene(law, edge, 2, material))
            period, amplitude = measure_swing(times, heights)
            print(f"| {law} | {nodes:,} | {period:.3f} | {amplitude:.3f} |")
            axes.plot(times, heights, color=color, linewidth=2.4 if edge == REFERENCE_EDGE else 1.4,
                      zorder=1 if edge == REFERENCE_EDGE else 2, label=f"{nodes:,} nodes")
        axes.set(title=law, xlabel="time, s", xlim=(0, 2))
        axes.legend(loc="lower right")
    plots[0].set(ylabel="height of the free bottom corner, m")
    save(figure, folder, "cube-on-wall.svg")


def show_damped(limber, folder):
    """Seed values: lambda = 40,000 Pa, mu = 100,000 Pa."""
    lam, mu = 40e3, 100e3
    material = {"youngsModulus": mu * (3 * lam + 2 * mu) / (lam + mu), "poissonsRatio": lam / (2 * (lam + mu)),
                "stiffnessDamping": 0.02}
    figure, axes = plt.subplots(figsize=(6.4, 3.9), layout="constrained")
    print("\n| nodes | height of the corner at rest, m |\n| --- | --- |")
    for edge, color in (*zip(EDGES, COLORS), (REFERENCE_EDGE, "#bbbbbb")):
        times, heights, nodes = run_scene(limber, make_scene("linear", edge, 3, material))
        print(f"| {nodes:,} | {heights[-1]:.4f} |")
        axes.plot(times, heights, color=color, linewidth=2.4 if edge == REFERENCE_EDGE else 1.4,
                  zorder=1 if edge == REFERENCE_EDGE else 2, label=f"{nodes:,} nodes")
    axes.set(title="Damped, linear law", xlabel="time, s", ylabel="height of the free bottom corner, m", xlim=(0, 2))
    axes.legend(loc="lower right")
    save(figure, folder, "damped-cube.svg")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    limber, folder = sys.argv[1:]
    compare_laws(limber, folder)
    show_damped(limber, folder)


if __name__ == "__main__":
    main()
