#!/usr/bin/python3
"""press.py PRESS_DATA FOLDER: what a hand feels as it presses a body whose resolution changes.

Draws haptics.svg into FOLDER. The target `plots` calls this.
"""

import csv
import subprocess
import sys

from draw import plt, save


def main():
    text = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout
    rows = list(csv.DictReader(text.splitlines()))
    hand = [(float(row["seconds"]), float(row["force"])) for row in rows if row["who"] == "hand"]
    world = [row for row in rows if row["who"] == "world"]
    times = [float(row["seconds"]) for row in world]
    figure, axes = plt.subplots(2, 1, figsize=(7, 4.4), sharex=True, height_ratios=[3, 1])
    axes[0].step(times, [float(row["force"]) for row in world], where="post", color="#b8b8b8", linewidth=1,
                 label="the world, 60 frames a second")
    axes[0].plot(*zip(*hand), color="#1f77b4", linewidth=1.2, label="the hand, 1,000 rounds a second")
    axes[0].set_ylabel("force, N")
    axes[0].legend(frameon=False)
    axes[1].plot(times, [int(row["nodes"]) for row in world], color="#2ca02c", linewidth=1.2)
    axes[1].set_ylabel("active nodes")
    axes[1].set_xlabel("time, s")
    for axis in axes:
        axis.grid(alpha=0.3)
    figure.tight_layout()
    save(figure, sys.argv[2], "haptics.svg")


main()
