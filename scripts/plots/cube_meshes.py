"""Meshes of tetrahedra for the cube of side 1 m about the origin: points and, for each tetrahedron, four of them."""

import itertools

import numpy
from scipy.spatial import Delaunay

# Nodes along each edge of the cube, on each face and inside, beside its corners, for 27, 57 and 135 nodes in all.
PAPERS = {27: (1, 1, 1), 57: (2, 3, 7), 135: (3, 9, 37)}


def random_points(numbers, on_edges, on_faces, inside):
    """Points of a cube from 0 to 1, and along which axes each of them is free to move (0 or 1)."""
    points, free = [], []
    for corner in itertools.product((0.0, 1.0), repeat=3):
        points.append(corner)
        free.append((0, 0, 0))
    for axis in range(3):
        across = numpy.arange(3) != axis
        for sides in itertools.product((0.0, 1.0), repeat=2):
            for k in range(on_edges):
                point = numpy.full(3, (k + 1) / (on_edges + 1))
                point[across] = sides
                points.append(point)
                free.append(~across)
        for side in (0.0, 1.0):
            for point in numbers.uniform(0.15, 0.85, (on_faces, 3)):
                point[axis] = side
                points.append(point)
                free.append(across)
    for point in numbers.uniform(0.15, 0.85, (inside, 3)):
        points.append(point)
        free.append((1, 1, 1))
    return numpy.array(points, float), numpy.array(free, float)


def spread_out(numbers, points, free):
    """Lets points push one another apart, then moves them a little at random."""
    spacing = len(points)**(-1 / 3)
    for _ in range(100):
        apart = points[:, None] - points[None]
        distance = numpy.linalg.norm(apart, axis=-1) + 9 * numpy.eye(len(points))
        push = (numpy.maximum(0, 1.9 * spacing - distance) / distance)[..., None] * apart
        points = points + 0.08 * push.sum(axis=1) * free
        points = numpy.where(free > 0, numpy.clip(points, 0.06, 0.94), points)
    return points + 0.2 * spacing * numbers.uniform(-1, 1, points.shape) * free


def fill(points):
    """Delaunay's tetrahedra but for those that lie flat on a side; how full they make the cube, and how good the worst
    of them is: its volume over that of a regular one with edges of the same root mean square."""
    tets = Delaunay(points).simplices
    corners = points[tets]
    volumes = abs(numpy.linalg.det(corners[:, 1:] - corners[:, :1])) / 6
    edges = numpy.stack([corners[:, a] - corners[:, b] for a, b in itertools.combinations(range(4), 2)])
    sizes = numpy.sqrt((edges**2).sum(axis=-1).mean(axis=0))
    quality = 6 * 2**0.5 * volumes / sizes**3
    flat = (corners == corners[:, :1]).all(axis=1).any(axis=1)
    return tets[~flat], volumes[~flat].sum(), quality[~flat].min()


def random_cubes(count, nodes):
    """Meshes without any order, as the papers have them: the first that have no sliver."""
    meshes, seed = [], 0
    while len(meshes) < count:
        numbers = numpy.random.default_rng(seed)
        points = spread_out(numbers, *random_points(numbers, *PAPERS[nodes]))
        tets, volume, quality = fill(points)
        if abs(volume - 1) < 1e-9 and quality > 0.1:
            meshes.append((points - 0.5, tets))
        seed += 1
    return meshes


# Corners of a cell by bits x, y, z. Of the first, every other cell is mirrored, so that faces match.
FIVE = ((0, 4, 2, 1), (6, 2, 4, 7), (5, 4, 1, 7), (3, 1, 2, 7), (1, 2, 4, 7))
SIX = ((0, 4, 6, 7), (0, 4, 5, 7), (0, 2, 6, 7), (0, 2, 3, 7), (0, 1, 5, 7), (0, 1, 3, 7))


def grid_cube(cells, pattern):
    """A fine mesh: cells cut into FIVE or SIX, nodes moved at random by up to a fifth of a cell, those of a side within
    it."""
    numbers = numpy.random.default_rng(cells)
    side = cells + 1
    lattice = numpy.stack(numpy.meshgrid(*3 * [numpy.arange(side)], indexing="ij"), axis=-1).reshape(-1, 3)
    inner = (lattice > 0) & (lattice < cells)
    points = (lattice + 0.2 * inner * numbers.uniform(-1, 1, lattice.shape)) / cells - 0.5
    tets = []
    for cell in itertools.product(range(cells), repeat=3):
        flip = 4 if pattern is FIVE and sum(cell) % 2 else 0
        for tet in pattern:
            corners = [(cell[0] + (c >> 2), cell[1] + (c >> 1 & 1), cell[2] + (c & 1)) for c in (k ^ flip for k in tet)]
            tets.append([(x * side + y) * side + z for x, y, z in corners])
    return points, numpy.array(tets)


def write_mesh(path, points, tets):
    """Medit's format. limber turns tetrahedra that run the wrong way round."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"MeshVersionFormatted 2\nDimension 3\nVertices\n{len(points)}\n")
        file.writelines(f"{x:.17g} {y:.17g} {z:.17g} 0\n" for x, y, z in points)
        file.write(f"Tetrahedra\n{len(tets)}\n")
        file.writelines(" ".join(str(node + 1) for node in tet) + " 0\n" for tet in tets)
        file.write("End\n")
