"""Small meshes of tetrahedra as text of every format: nodes, elements by index from 0, and how many more of each the
file promises than it holds."""

NODES = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]
PAIR = [(0, 1, 2, 3), (1, 2, 3, 4)]


def rows(pattern, items):
    return "".join(pattern % item for item in items)


def numbered(items, first, shift=0):
    return [(first + i, *(c + shift for c in item)) for i, item in enumerate(items)]


def msh(nodes, tets, more_nodes=0, more_tets=0):
    return {"a.msh": "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n" % (len(nodes) + more_nodes)
            + rows("%d %g %g %g\n", numbered(nodes, 1)) + "$EndNodes\n$Elements\n%d\n" % (len(tets) + more_tets)
            + rows("%d 4 2 0 1 %d %d %d %d\n", numbered(tets, 1, 1)) + "$EndElements\n"}


def tetgen(nodes, tets, more_nodes=0, more_tets=0):
    return {"a.node": "%d 3 0 0\n" % (len(nodes) + more_nodes) + rows("%d %g %g %g\n", numbered(nodes, 1)),
            "a.ele": "%d 4 0\n" % (len(tets) + more_tets) + rows("%d %d %d %d %d\n", numbered(tets, 1, 1))}


def medit(nodes, tets, more_nodes=0, more_tets=0):
    return {"a.mesh": "MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n" % (len(nodes) + more_nodes)
            + rows("%g %g %g 0\n", nodes) + "Tetrahedra\n%d\n" % (len(tets) + more_tets)
            + rows("%d %d %d %d 0\n", [tuple(c + 1 for c in tet) for tet in tets]) + "End\n"}


def vtk(nodes, tets, more_nodes=0, more_tets=0):
    count = len(tets) + more_tets
    return {"a.vtk": "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n"
            % (len(nodes) + more_nodes) + rows("%g %g %g\n", nodes) + "CELLS %d %d\n" % (count, 5 * count)
            + rows("4 %d %d %d %d\n", tets) + "CELL_TYPES %d\n" % count + "10\n" * len(tets)}


def vtu(nodes, tets, more_nodes=0, more_tets=0):
    def array(kind, name, values):
        return '<DataArray type="%s" Name="%s" NumberOfComponents="%d" format="ascii">\n%s</DataArray>\n' % (
            kind, name, 3 if name == "points" else 1, values)

    return {"a.vtu": '<VTKFile type="UnstructuredGrid" version="0.1" byte_order="LittleEndian">\n<UnstructuredGrid>\n'
            '<Piece NumberOfPoints="%d" NumberOfCells="%d">\n<Points>\n' % (len(nodes) + more_nodes,
                                                                           len(tets) + more_tets)
            + array("Float64", "points", rows("%g %g %g\n", nodes)) + "</Points>\n<Cells>\n"
            + array("Int32", "connectivity", rows("%d %d %d %d\n", tets))
            + array("Int32", "offsets", rows("%d ", [(4 * i + 4,) for i in range(len(tets))]))
            + array("UInt8", "types", "10 " * len(tets))
            + "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n"}


def abaqus(nodes, tets):
    """Has no counts that could promise anything."""
    return {"a.inp": "*NODE\n" + rows("%d, %g, %g, %g\n", numbered(nodes, 1)) + "*ELEMENT, TYPE=C3D4\n"
            + rows("%d, %d, %d, %d, %d\n", numbered(tets, 1, 1))}


def vega(nodes, tets, more_nodes=0, more_tets=0):
    return {"a.veg": "*VERTICES\n%d 3 0 0\n" % (len(nodes) + more_nodes) + rows("%d %g %g %g\n", numbered(nodes, 1))
            + "*ELEMENTS\nTETS\n%d 4 0\n" % (len(tets) + more_tets)
            + rows("%d %d %d %d %d\n", numbered(tets, 1, 1))}


# What makes the file, and the number of its first element.
FORMATS = {"a.msh": (msh, 1), "a.node": (tetgen, 1), "a.mesh": (medit, 1), "a.vtk": (vtk, 0), "a.vtu": (vtu, 0),
           "a.inp": (abaqus, 1), "a.veg": (vega, 1)}

FLAT = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0)]
INSIDE = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0.2, 0.2, 0.3)]

# What is wrong with the elements, the mesh, and words with the numbers of its elements from 0 on.
BAD_ELEMENTS = [
    ("no volume", FLAT, [(0, 1, 2, 3), (0, 1, 2, 4)], "element {1} has no volume: its corners lie in a plane"),
    ("a node twice", NODES, [(0, 1, 2, 3), (1, 2, 2, 4)], "element {1} has no volume: it uses a node twice"),
    ("there twice", NODES, PAIR + [(3, 2, 1, 0)], "element {2} has the same nodes as element {0}"),
    ("inverted", INSIDE, [(0, 1, 2, 3), (0, 1, 2, 4)], "tetrahedron {1} is inverted"),
    ("a node that is not there", NODES, [(0, 1, 2, 3), (1, 2, 3, 8)], "element {1} uses node "),
]


def words_for(words, first):
    return words.format(*range(first, first + 3))


def encoded(files):
    return {name: text.encode() for name, text in files.items()}
