#!/usr/bin/python3
"""contact_schemes.py LIMBER FOLDER: a ball pressed into a block by three schemes, cut through the middle.

Draws bem-schemes.svg into FOLDER, after figure 4 of Klimenko, Nikitina and Nikitin. LIMBER is the command line.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile

from draw import plt, save

RADIUS, DEPTH, SIZE, HEIGHT, EDGE = 0.15, 0.05, 0.6, 0.24, 0.03
SCHEMES = [("a: exact (no tension)", {"scheme": "exact"}), ("b: hard condition (it sticks)", {"scheme": "layer", "layer": 0}),
           ("c: soft layer", {"scheme": "layer", "layer": 0.5 * DEPTH})]


def block_scene(compliant, **body):
    places = [round(-SIZE / 2 + EDGE * i, 4) for i in range(round(SIZE / EDGE) + 1)]
    return {
        "limber": 1, "frames": 20, "frameRate": 60,
        "regions": {"bottom": {"halfSpace": {"point": [0, 0.01 - HEIGHT, 0], "normal": [0, 1, 0]}}},
        "bodies": [{"name": "block", "kind": "compliant", "position": [0, -HEIGHT / 2, 0], "friction": 0, "compliant": compliant,
                    **body}],
        "tools": [{"name": "ball", "kind": "sphere", "radius": RADIUS, "position": [0, RADIUS - DEPTH, 0]}],
        "probes": [{"name": f"p{i}", "what": "position", "body": "block", "point": [x, 0, 0]} for i, x in enumerate(places)]
        + [{"name": "force", "what": "force", "tool": "ball"}],
    }


def run(limber, folder, name, scene, *arguments):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        json.dump(scene, file)
    subprocess.run([limber, *arguments[:1], path, "-q", *arguments[1:]], check=True, stdout=subprocess.DEVNULL)


def main():
    limber, out = os.path.abspath(sys.argv[1]), sys.argv[2]
    figure, axes = plt.subplots(1, 3, figsize=(10, 2.9), sharey=True)
    with tempfile.TemporaryDirectory() as folder:
        run(limber, folder, "block.json", block_scene({"held": ["bottom"]}, shape={
            "kind": "box", "size": [SIZE, HEIGHT, SIZE], "edge": EDGE},
            material={"youngsModulus": 1e5, "poissonsRatio": 0.45}), "precompute", "-o", os.path.join(folder, "block.lbr"))
        for axis, (title, compliant) in zip(axes, SCHEMES):
            table = os.path.join(folder, "probes.csv")
            run(limber, folder, "run.json", block_scene({"file": "block.lbr", **compliant}), "run", "--probes", table)
            with open(table) as file:
                last = list(csv.DictReader(file))[-1]
            columns = {key.split(" ")[0]: float(value) for key, value in last.items()}
            count = sum(key.endswith(".x") for key in columns) - 1
            xs, ys = ([columns[f"p{i}.{c}"] for i in range(count)] for c in "xy")
            axis.add_patch(plt.Circle((0, RADIUS - DEPTH), RADIUS, facecolor="#dfe4ea", edgecolor="#7f8790"))
            axis.fill_between(xs, ys, -0.12, color="#f2c879")
            axis.plot(xs, ys, color="#8c5a00", marker="o", markersize=3)
            axis.set_aspect("equal")
            axis.set_xlim(-0.22, 0.22)
            axis.set_ylim(-0.1, 0.08)
            axis.set_title(f"{title}: {columns['force.y']:.0f} N", fontsize=10)
            axis.grid(False)
    axes[0].set_ylabel("m")
    save(figure, out, "bem-schemes.svg")


if __name__ == "__main__":
    main()
