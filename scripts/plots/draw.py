#!/usr/bin/python3
"""draw.py PLOT_DATA FIGURES FOLDER: draws the plots of docs/ as SVG files into FOLDER.

PLOT_DATA is the program that prints the data (plot_data.c), FIGURES a file of JSON lines as
`limber bench integrators --json` prints them. The target `plots` calls this.
"""

import csv
import json
import os
import re
import subprocess
import sys

try:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("draw.py: matplotlib is missing; on Debian: apt install python3-matplotlib")

# Text stays text, so that files are small; nothing in a file changes unless its data do.
plt.rcParams.update({
    "svg.fonttype": "none",
    "svg.hashsalt": "limber",
    "font.family": "sans-serif",
    "font.sans-serif": ["Helvetica", "Arial", "DejaVu Sans", "sans-serif"],
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.6,
    "legend.frameon": False,
    "legend.fontsize": 9,
})

# Colour, dashes and width of each method. Methods with one trajectory share a colour.
STYLES = {
    "explicit-euler": ("#d62728", "-", 1.6),
    "symplectic-euler": ("#1f77b4", "-", 1.6),
    "implicit-euler": ("#7f7f7f", "-", 1.6),
    "leap-frog": ("#2ca02c", "-", 3.2),
    "verlet": ("#98df8a", "-", 1.8),
    "velocity-verlet": ("#145214", ":", 1.4),
    "beeman": ("#17becf", "-", 1.6),
    "heun": ("#ff7f0e", "-", 2.8),
    "midpoint": ("#8c3b00", ":", 1.6),
    "adams": ("#e377c2", "-", 1.6),
    "rk4": ("#9467bd", "-", 1.6),
    "crank-nicolson": ("#000000", "--", 1.4),
    "adaptive": ("#bcbd22", "-.", 1.6),
    "bulirsch-stoer": ("#8c564b", "-.", 1.6),
}


def read_table(program, name):
    """The rows of a table by method: {method: {column: [numbers]}}."""
    text = subprocess.run([program, name], check=True, capture_output=True, text=True).stdout
    methods = {}
    for row in csv.DictReader(text.splitlines()):
        columns = methods.setdefault(row.pop("method"), {})
        for column, value in row.items():
            columns.setdefault(column, []).append(float(value))
    return methods


def plot_methods(axes, table, x, y, names=None):
    """One line for each method, in the order of STYLES."""
    for name, (color, dashes, width) in STYLES.items():
        if name in table and (names is None or name in names):
            axes.plot(table[name][x], table[name][y], color=color, linestyle=dashes, linewidth=width, label=name)


def put_legend_below(figure, axes, columns):
    figure.legend(*axes.get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0), ncols=columns)


def shorten_numbers(match):
    """A hundredth of a point is enough for a path."""
    return re.sub(r"(\d\.\d\d)\d+", r"\1", match.group())


def save(figure, folder, name):
    path = os.path.join(folder, name)
    figure.savefig(path, metadata={"Date": None}, facecolor="white", bbox_inches="tight", pad_inches=0.1)
    plt.close(figure)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(r' d="[^"]*"', shorten_numbers, text))
    print(f"{path}: {os.path.getsize(path) / 1024:.0f} kB")


def draw_stability(program, folder):
    table = read_table(program, "stability")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.9), layout="constrained")
    for method in table.values():
        method["each"] = [wh / n for wh, n in zip(method["wh"], method["evaluations"])]
    plot_methods(left, table, "damping_ratio", "wh")
    plot_methods(right, table, "damping_ratio", "each")
    left.set(title="Longest stable step", ylabel="w h", ylim=(0, 3.2))
    right.set(title="The same for each evaluation of forces", ylabel="w h / evaluations", ylim=(0, 2.2))
    for axes in (left, right):
        axes.set(xlabel="damping ratio, d / 2w", xlim=(0, 1.5))
    put_legend_below(figure, left, 5)
    save(figure, folder, "stability.svg")


def draw_energy(program, folder):
    oscillator, drift, cube = (read_table(program, name) for name in ("oscillator", "drift", "cube"))
    figure, (first, second, third) = plt.subplots(1, 3, figsize=(12.6, 4.2), layout="constrained")
    plot_methods(first, oscillator, "periods", "energy")
    first.set(title="Oscillator, w h = 0.2", xlabel="periods", ylabel="energy / energy at the start",
              yscale="log", xlim=(0, 8), ylim=(0.5, 2))
    plot_methods(second, drift, "periods", "departure")
    second.set(title="Oscillator, w h = 0.1", xlabel="periods",
               ylabel="largest |energy / start - 1| so far", xscale="log", yscale="log", xlim=(0.1, 1000),
               ylim=(1e-7, 10))
    plot_methods(third, cube, "seconds", "energy")
    third.set(title="Cube of springs, half of Verlet's longest step", xlabel="time, s",
              ylabel="energy / energy at the start", yscale="log", xlim=(0, 5), ylim=(0.5, 2))
    for axes in (first, third):
        axes.set_yticks([0.5, 0.7, 1, 1.4, 2], ["0.5", "0.7", "1", "1.4", "2"])
        axes.minorticks_off()
    put_legend_below(figure, third, 7)
    save(figure, folder, "energy.svg")


def draw_orders(program, folder):
    table = read_table(program, "orders")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.4), layout="constrained")
    plot_methods(left, table, "wh", "error")
    left.set(title="Error after 7.3 radians", xlabel="w h", ylabel="error / amplitude")
    for order, x, y in ((1, 0.004, 0.06), (2, 0.004, 1.5e-4), (4, 0.25, 1e-6)):
        left.plot([x, 4 * x], [y, y * 4**order], color="#999999", linewidth=0.8)
        left.annotate(f"order {order}", (2 * x, y * 2**order), xytext=(-4, 4) if order < 4 else (4, -4),
                      textcoords="offset points", ha="right" if order < 4 else "left", color="#666666", fontsize=9)
    explicit = [name for name in STYLES if name not in ("implicit-euler", "crank-nicolson")]
    plot_methods(right, table, "evaluations_per_radian", "error", explicit)
    right.set(title="Error against work (explicit methods)", xlabel="evaluations of forces a radian")
    for axes in (left, right):
        axes.set(xscale="log", yscale="log", ylim=(5e-8, 3))
    put_legend_below(figure, left, 5)
    save(figure, folder, "orders.svg")


def read_figures(path):
    """Two lists of (method, largest step, cost of a step), ms: limber's and the lecture's."""
    values = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            if "metric" in entry:
                values[entry["metric"]] = entry["value"]
    sources = []
    for prefix in ("", "lecture_"):
        rows = []
        for name in STYLES:
            key = f"{name.replace('-', '_')}_{prefix}"
            if key + "step_ms" in values:
                rows.append((name, values[key + "largest_step_ms"], values[key + "step_ms"]))
        sources.append(rows)
    return sources


# Where the names of limber's methods stand beside their points, in points; the others are in the bars only.
NAME_OFFSETS = {"symplectic-euler": (-6, 4), "verlet": (6, 3), "heun": (-6, -4), "midpoint": (6, -8), "rk4": (6, 3),
                "explicit-euler": (6, 3), "implicit-euler": (-6, 5), "crank-nicolson": (4, -12), "adaptive": (6, 5),
                "bulirsch-stoer": (6, -12)}


def draw_points(axes, rows, color, marker, offsets):
    for name, largest, cost in rows:
        axes.plot(cost, largest, marker=marker, color=color, markersize=5.5, linestyle="none")
        if name in offsets:
            axes.annotate(name, (cost, largest), xytext=offsets[name], textcoords="offset points", fontsize=8,
                          color=color, ha="left" if offsets[name][0] > 0 else "right")


def draw_comparison(path, folder):
    limber, lecture = read_figures(path)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11.4, 4.8), layout="constrained", width_ratios=(1.35, 1))
    draw_points(left, limber, "#1f77b4", "o", NAME_OFFSETS)
    draw_points(left, lecture, "#d62728", "s", {name: (6, -4 if name == "heun" else 3) for name, _, _ in lecture})
    for ratio in (0.01, 0.1, 1, 10, 100, 1000):
        left.plot([0.01, 2000], [0.01 * ratio, 2000 * ratio], color="#cccccc", linewidth=0.7, zorder=0)
    for ratio, x in ((0.1, 2), (1, 1), (10, 0.3), (100, 0.1)):
        left.annotate(f"ratio {ratio:g}", (x, x * ratio), fontsize=8, color="#888888", rotation=40,
                      rotation_mode="anchor", xytext=(0, 2), textcoords="offset points")
    left.set(title="22,320 springs: limber (dots), the lecture (squares)", xscale="log", yscale="log",
             xlabel="cost of a step, ms", ylabel="largest step, ms", xlim=(0.015, 2000), ylim=(0.02, 200))
    draw_ratios(right, limber, {name: largest / cost for name, largest, cost in lecture})
    save(figure, folder, "comparison.svg")


def draw_ratios(axes, limber, lecture):
    """Simulated time for each second of computing, the best on top."""
    rows = sorted((largest / cost, name) for name, largest, cost in limber)
    for place, (ratio, name) in enumerate(rows):
        axes.barh(place + 0.2, ratio, height=0.38, color="#1f77b4", label="limber" if place == 0 else None)
        axes.annotate(f"{ratio:.3g}", (ratio, place + 0.2), xytext=(3, 0), textcoords="offset points", va="center",
                      fontsize=8)
        if name in lecture:
            axes.barh(place - 0.2, lecture[name], height=0.38, color="#d62728",
                      label="the lecture" if name == "explicit-euler" else None)
    axes.set(title="Largest step / cost of a step", xscale="log", xlim=(0.03, 3 * rows[-1][0]))
    axes.set_yticks(range(len(rows)), [name for _, name in rows])
    axes.grid(axis="y", visible=False)
    axes.legend(loc="lower right")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    program, figures, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    draw_stability(program, folder)
    draw_energy(program, folder)
    draw_orders(program, folder)
    draw_comparison(figures, folder)


if __name__ == "__main__":
    main()
