#!/usr/bin/python3
"""wobble.py LIMBER FOLDER: a cube on a wall and a dropped jelly, by three integrators at 60 frames a second.

LIMBER is the command. Draws wobble.svg into FOLDER. The target `plots` calls this.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile

from draw import plt, save

METHODS = [("symplectic Euler, 400 steps a frame", "symplectic-euler", 400, "#b8b8b8"),
           ("implicit Euler, 1 step", "implicit-euler", 1, "#d62728"),
           ("generalised alpha, 1 step", "generalised-alpha", 1, "#1f77b4")]


def make_scene(kind, steps, dropped):
    """A jelly of 0.2 m and 20 kPa without any damping."""
    body = {"name": "jelly", "shape": {"kind": "box", "size": 0.2, "edge": 0.04}, "mesh": {"kind": "tets", "edge": 0.04},
            "material": {"density": 1000, "youngsModulus": 20000, "poissonsRatio": 0.4, "stiffnessDamping": 0,
                         "massDamping": 0},
            "law": "corotational", "integrator": {"kind": kind, "steps": steps}, "position": [0, 0.25, 0]}
    scene = {"limber": 1, "frameRate": 60, "frames": 180, "gravity": [0, -9.81, 0], "bodies": [body],
             "probes": [{"name": "c", "what": "position", "body": "jelly"}]}
    if dropped:
        scene["ground"] = {"height": 0}
    else:
        scene["regions"] = {"wall": {"halfSpace": {"point": [-0.099, 0.25, 0], "normal": [1, 0, 0]}}}
        scene["pins"] = [{"name": "wall", "body": "jelly", "region": "wall"}]
    return scene


def heights(limber, scene, folder):
    """Times and heights of the centre of mass."""
    scene_file, probes = os.path.join(folder, "scene.json"), os.path.join(folder, "probes.csv")
    with open(scene_file, "w", encoding="utf-8") as file:
        json.dump(scene, file)
    subprocess.run([limber, "run", scene_file, "--probes", probes, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    with open(probes, encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    return [float(row[1]) for row in rows], [float(row[3]) for row in rows]


def main():
    limber, folder = sys.argv[1:3]
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2))
    with tempfile.TemporaryDirectory() as work:
        for axis, dropped, title in zip(axes, (False, True), ("cube on a wall", "dropped jelly")):
            for label, kind, steps, color in METHODS:
                times, values = heights(limber, make_scene(kind, steps, dropped), work)
                axis.plot(times, values, color=color, label=label)
            axis.set_title(title)
            axis.set_xlabel("s")
            axis.set_ylabel("height of the centre, m")
    axes[1].legend()
    figure.tight_layout()
    save(figure, folder, "wobble.svg")


if __name__ == "__main__":
    main()
