#!/usr/bin/python3
"""levels_motion.py LEVELS_DATA FOLDER: a cube on a wall by several laws and resolutions, and a ball that passes over a block.

Draws levels-wall.svg and levels-tool.svg into FOLDER. The target `plots` calls this.
"""

import csv
import subprocess
import sys

from draw import plt, save

MESHES = ["125 nodes", "729 nodes", "4,913 nodes", "levels"]
COLORS = ["#b8b8b8", "#7f7f7f", "#000000", "#d62728"]


def column(rows, name):
    return [float(row[name]) for row in rows]


def draw_wall(rows, folder):
    laws = ["springs", "linear", "corotational", "green"]
    figure, axes = plt.subplots(3, 2, figsize=(9, 7), sharex=True)
    for law, axis in zip(laws, axes.flat):
        for mesh, (name, color) in enumerate(zip(MESHES, COLORS)):
            own = [row for row in rows if row["what"] == law and int(row["mesh"]) == mesh]
            axis.plot(column(own, "seconds"), column(own, "height"), color=color, linewidth=1.1, label=name)
        axis.set_title(law, fontsize=9)
        axis.set_ylabel("corner, m")
    axes[0, 0].legend(fontsize=7, loc="lower right")
    own = [row for row in rows if row["what"] == "green" and row["mesh"] == "3"]
    total = [sum(float(row[name]) for name in ("kinetic", "elastic", "gravity")) for row in own]
    times, start = column(own, "seconds"), float(own[0]["gravity"])
    for name, color in (("kinetic", "#1f77b4"), ("elastic", "#2ca02c")):
        axes[2, 0].plot(times, column(own, name), color=color, linewidth=1.1, label=name)
    axes[2, 0].plot(times, [value - start for value in column(own, "gravity")], color="#9467bd", linewidth=1.1,
                    label="gravity")
    axes[2, 0].plot(times, [value - start for value in total], color="#000000", linewidth=1.1, label="all")
    axes[2, 0].set_title("green, levels: energies", fontsize=9)
    axes[2, 0].set_ylabel("J")
    axes[2, 0].legend(fontsize=7)
    axes[2, 1].plot(times, column(own, "nodes"), color="#d62728", linewidth=1.1)
    axes[2, 1].set_title("green, levels: active nodes", fontsize=9)
    for axis in axes[2]:
        axis.set_xlabel("time, s")
    for axis in axes.flat:
        axis.grid(alpha=0.3)
    figure.tight_layout()
    save(figure, folder, "levels-wall.svg")


def draw_tool(rows, folder):
    own = [row for row in rows if row["what"] == "ball"]
    figure, axis = plt.subplots(figsize=(7, 2.8))
    axis.stackplot(column(own, "seconds"), *(column(own, name) for name in ("coarse", "middle", "fine")),
                   labels=["coarsest level", "middle", "finest"], colors=["#c6dbef", "#6baed6", "#08519c"])
    axis.set_xlabel("time, s")
    axis.set_ylabel("active nodes")
    axis.legend(fontsize=8, loc="upper right")
    figure.tight_layout()
    save(figure, folder, "levels-tool.svg")


def main():
    text = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout
    rows = list(csv.DictReader(text.splitlines()))
    draw_wall(rows, sys.argv[2])
    draw_tool(rows, sys.argv[2])


if __name__ == "__main__":
    main()
