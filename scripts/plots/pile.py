#!/usr/bin/python3
"""pile.py PILE_DATA FOLDER: a hundred soft bodies that fall into a bowl.

Draws pile-depth.svg into FOLDER. The target `plots` calls this.
"""

import csv
import subprocess
import sys

from draw import plt, save


def main():
    text = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout
    rows = list(csv.DictReader(text.splitlines()))
    times = [float(row["seconds"]) for row in rows]
    figure, axes = plt.subplots(3, 1, figsize=(7, 5), sharex=True)
    axes[0].plot(times, [float(row["depth"]) for row in rows], color="#1f77b4", linewidth=1.2)
    axes[0].axhline(1, color="#b8b8b8", linewidth=1, linestyle="--")
    axes[0].set_ylabel("depth, % of size")
    axes[1].semilogy(times, [float(row["speed"]) for row in rows], color="#d62728", linewidth=1.2)
    axes[1].axhline(1e-3, color="#b8b8b8", linewidth=1, linestyle="--")
    axes[1].set_ylabel("fastest, m/s")
    axes[2].step(times, [int(row["steps"]) for row in rows], where="post", color="#2ca02c", linewidth=1.2)
    axes[2].set_ylabel("steps a frame")
    axes[2].set_xlabel("time, s")
    for axis in axes:
        axis.grid(alpha=0.3)
    figure.tight_layout()
    save(figure, sys.argv[2], "pile-depth.svg")


main()
