#!/usr/bin/python3
"""levels.py LIMBER FOLDER: what levels of detail cost against how far they are off, over thresholds.

LIMBER is the command, whose `bench adaptive` has the figures. Draws levels.svg into FOLDER. The target `plots` calls
this.
"""

import json
import re
import subprocess
import sys

from draw import plt, save


def read_curve(limber):
    """Threshold in mm -> what the bench says of it; and of the organ."""
    lines = subprocess.run([limber, "bench", "adaptive", "--json"], capture_output=True, text=True, check=True).stdout
    curve, organ = {}, {}
    for line in lines.splitlines():
        figure = json.loads(line)
        metric = figure.get("metric", "")
        of_split = re.fullmatch(r"split_([\d.]+)mm_(\w+)", metric)
        if of_split:
            curve.setdefault(float(of_split[1]), {})[of_split[2]] = figure["value"]
        elif metric.startswith("organ_"):
            organ[metric[len("organ_"):]] = figure["value"]
    return curve, organ


def main():
    limber, folder = sys.argv[1:]
    curve, organ = read_curve(limber)
    splits = sorted(curve)
    figure, axes = plt.subplots(figsize=(6.4, 3.4))
    axes.axvline(0.05, color="#2ca02c", linewidth=0.8)
    axes.axhline(10, color="#2ca02c", linewidth=0.8)
    axes.plot([curve[s]["error"] for s in splits], [curve[s]["cost_ratio"] for s in splits], "o-", color="#1f77b4",
              label="cube of 1 m, 50 kPa")
    axes.plot([organ["error"]], [organ["cost_ratio"]], "s", color="#d62728", label="block of 0.2 m, 20 kPa")
    for split in splits:
        at = curve[split]
        axes.annotate(f"{split:g} mm, {at['active_nodes']:.0f} nodes", (at["error"], at["cost_ratio"]), fontsize=8,
                      xytext=(6, -10), textcoords="offset points")
    axes.set_xscale("log")
    axes.set_xlabel("largest error of the surface / largest displacement")
    axes.set_ylabel("cost of the finest mesh / of levels")
    axes.set_ylim(0, 20)
    axes.set_xticks([0.02, 0.05, 0.1, 0.2], ["0.02", "0.05", "0.1", "0.2"])
    axes.minorticks_off()
    axes.legend(loc="lower right")
    save(figure, folder, "levels.svg")


if __name__ == "__main__":
    main()
