#!/usr/bin/python3
"""basis.py MODES.glb OUT.png [CONTROL]: the modes of one control and of gravity, side by side.

MODES.glb is what `limber precompute SCENE -o MODEL.lbe --morphs MODES.glb` writes. Colours are the trace of the surface's
strain, blue where area is lost and red where it is gained; each mode is as large as it can be shown.
"""

import json
import struct
import sys

try:
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    import numpy as np
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection
except ImportError:
    sys.exit("basis.py: matplotlib is missing; on Debian: apt install python3-matplotlib")


def read_glb(path):
    """Its description and its binary part."""
    with open(path, "rb") as file:
        data = file.read()
    size, = struct.unpack_from("<I", data, 12)
    return json.loads(data[20:20 + size]), data[20 + size + 8:]


def read_array(document, binary, index):
    accessor = document["accessors"][index]
    view = document["bufferViews"][accessor["bufferView"]]
    kind = {5126: np.float32, 5125: np.uint32, 5123: np.uint16}[accessor["componentType"]]
    width = {"SCALAR": 1, "VEC3": 3}[accessor["type"]]
    begin = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    array = np.frombuffer(binary, kind, accessor["count"] * width, begin)
    return array.reshape(-1, width) if width > 1 else array


def read_modes(path):
    document, binary = read_glb(path)
    mesh = document["meshes"][0]
    primitive = mesh["primitives"][0]
    rest = read_array(document, binary, primitive["attributes"]["POSITION"]).astype(float)
    triangles = read_array(document, binary, primitive["indices"]).reshape(-1, 3)
    shapes = [read_array(document, binary, target["POSITION"]).astype(float) for target in primitive["targets"]]
    return rest, triangles, dict(zip(mesh["extras"]["targetNames"], shapes))


def area_change(rest, triangles, shape):
    """The trace of surface strain, to first order: how much areas grow for each unit."""
    a, b, c = (rest[triangles[:, k]] for k in range(3))
    ua, ub, uc = (shape[triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    double = np.linalg.norm(normal, axis=1)
    change = np.cross(ub - ua, c - a) + np.cross(b - a, uc - ua)
    return np.einsum("ij,ij->i", normal, change) / double**2


def draw(axes, rest, triangles, shape, name):
    """Drawn along the x axis: limber's tubes lie along y."""
    span = np.ptp(rest, axis=0).max()
    scale = 0.22 * span / np.abs(shape).max()
    moved = (rest + scale * shape)[:, [1, 0, 2]]
    trace = area_change(rest, triangles, shape)
    largest = np.quantile(np.abs(trace), 0.99) or 1
    colours = plt.cm.coolwarm(0.5 + 0.5 * np.clip(trace / largest, -1, 1))
    corners = moved[triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None] + 1e-30
    colours[:, :3] *= (0.62 + 0.38 * np.abs(normal @ np.array([0.3, -0.5, 0.81])))[:, None]
    axes.add_collection3d(Poly3DCollection(corners, facecolors=colours, linewidth=0))
    middle = rest.mean(axis=0)[[1, 0, 2]]
    for set_limits, at, share in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), middle, (0.62, 0.42, 0.42)):
        set_limits(at - share * span, at + share * span)
    axes.set_box_aspect((0.62, 0.42, 0.42), zoom=1.4)
    axes.view_init(elev=24, azim=-62)
    axes.set_axis_off()
    axes.set_title(name, fontsize=10, y=0.93)


def main():
    rest, triangles, modes = read_modes(sys.argv[1])
    control = sys.argv[3] if len(sys.argv) > 3 else "end"
    names = [name for name in modes if name.startswith(control + " ") or name.startswith("gravity ")]
    figure = plt.figure(figsize=(12, 7.4), dpi=100)
    for i, name in enumerate(names):
        draw(figure.add_subplot(3, 5, i + 1, projection="3d"), rest, triangles, modes[name], name)
    figure.subplots_adjust(0, 0, 1, 0.97, 0, 0.02)
    figure.savefig(sys.argv[2])


if __name__ == "__main__":
    main()
