"""The cases of test_bad_input.py: what is wrong, the files, the command, and what limber must say."""
import json
import os
import random
import struct
import subprocess
import tempfile

import tet_text_files as tets

# ---- What the cases are made of --------------------------------------------------------------------------------------

TETRAHEDRON = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]


def obj(points=TETRAHEDRON, faces=FACES):
    lines = ["v %s %s %s" % tuple(p) for p in points] + ["f %d %d %d" % tuple(i + 1 for i in f) for f in faces]
    return ("\n".join(lines) + "\n").encode()


def stl(points=TETRAHEDRON, faces=FACES, count=None):
    triangles = [struct.pack("<12fH", 0, 0, 0, *points[a], *points[b], *points[c], 0) for a, b, c in faces]
    return bytes(80) + struct.pack("<I", len(faces) if count is None else count) + b"".join(triangles)


def ply(points=TETRAHEDRON, faces=FACES, face_count=None):
    header = "ply\nformat binary_little_endian 1.0\nelement vertex %d\n" % len(points)
    header += "".join("property float %s\n" % axis for axis in "xyz")
    header += "element face %d\n" % (len(faces) if face_count is None else face_count)
    header += "property list uchar int vertex_indices\nend_header\n"
    body = [struct.pack("<3f", *p) for p in points] + [struct.pack("<B3i", 3, *f) for f in faces]
    return header.encode() + b"".join(body)


def glb(points=TETRAHEDRON, faces=FACES, index_count=None):
    binary = b"".join([struct.pack("<3f", *p) for p in points] + [struct.pack("<3I", *f) for f in faces])
    split = 12 * len(points)
    finite = [[c if abs(c) < 1e38 else 0 for c in p] for p in points]
    text = json.dumps({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": len(binary)}],
        "bufferViews": [{"buffer": 0, "byteLength": split},
                        {"buffer": 0, "byteOffset": split, "byteLength": len(binary) - split}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": len(points), "type": "VEC3",
                       "min": [min(p[i] for p in finite) for i in range(3)],
                       "max": [max(p[i] for p in finite) for i in range(3)]},
                      {"bufferView": 1, "componentType": 5125, "type": "SCALAR",
                       "count": 3 * len(faces) if index_count is None else index_count}],
    }).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks


FORMATS = {"obj": obj, "stl": stl, "ply": ply, "glb": glb}
HUNDRED_MILLION = {
    "obj": b"# 100000000 faces\n" + obj() + b"f 1 2 100000000\n",
    "stl": stl(count=100_000_000),
    "ply": ply(face_count=100_000_000),
    "glb": glb(index_count=300_000_000),
}
GARBAGE = random.Random(1).randbytes(3000)


def scene(changes=None, drop=()):
    """A small jelly box on the ground, held at its top; `changes` sets values by path ("bodies.0.name")."""
    made = {
        "limber": 1,
        "frames": 3,
        "ground": {"height": -1},
        "regions": {"top": {"halfSpace": {"point": [0, 0.04, 0], "normal": [0, -1, 0]}}},
        "bodies": [{
            "name": "jelly",
            "shape": {"kind": "box", "size": [0.1, 0.1, 0.1], "edge": 0.05},
            "mesh": {"kind": "tet-grid", "edge": 0.05},
            "material": {"youngsModulus": 10000},
        }],
        "pins": [{"name": "hold", "body": "jelly", "region": "top"}],
        "probes": [{"name": "middle", "what": "position", "body": "jelly"}],
    }
    for path, value in (changes or {}).items():
        *parents, last = path.split(".")
        place = made
        for key in parents:
            place = place[int(key)] if isinstance(place, list) else place.setdefault(key, {})
        place[int(last) if isinstance(place, list) else last] = value
    for key in drop:
        del made[key]
    return json.dumps(made).encode()


def file_scene(name, mesh="tet-grid", integrator="automatic"):
    """The scene with its body read from a file."""
    return scene({"bodies.0.shape": {"file": name}, "bodies.0.mesh": mesh, "bodies.0.integrator": {"kind": integrator}},
                 drop=("pins", "regions"))


class Case:
    """What is wrong, the files that are there (a name that ends in / is a folder), the command, and words that standard
    error must hold. `most` limits the size of a file, in bytes, as a full disk would."""

    def __init__(self, what, files, command, *words, code=1, most=None, stdout=None, prepare=None):
        self.what, self.files, self.command, self.words = what, files, command.split(), words
        self.code, self.most, self.stdout, self.prepare = code, most, stdout, prepare


# ---- The table -------------------------------------------------------------------------------------------------------


def surface_cases():
    """Each bad surface twice: for info, and as the body of a scene."""
    nan, infinite = float("nan"), float("inf")
    for ending, make in FORMATS.items():
        whole = make()
        bad = [
            ("missing", None, "No such file"),
            ("empty", b"", "empty file"),
            ("garbage", GARBAGE, ""),
            ("100 million faces", HUNDRED_MILLION[ending], "00000000"),
            ("NaN", make([(0, 0, 0), (1, nan, 0), (0, 1, 0), (0, 0, 1)]), "finite"),
            ("infinite", make([(0, 0, 0), (1, 0, 0), (0, infinite, 0), (0, 0, 1)]), "finite"),
            ("no faces", make(faces=[]), ""),
            ("index beyond", make(faces=[(0, 1, 9)]) if ending != "stl" else b"solid x\n", ""),
        ]
        for share in (0.2, 0.5, 0.95):
            cut = whole[:int(share * len(whole))]
            if ending == "obj":  # a cut line, not between two lines
                cut = cut[:cut.rstrip().rfind(b" ")]
            bad.append(("truncated to %d of %d bytes" % (len(cut), len(whole)), cut, ""))
        for what, data, words in bad:
            name = "bad." + ending
            files = {} if data is None else {name: data}
            yield Case(f"{ending}: {what}", files, "info " + name, name, words)
            scene_files = dict(files, **{"scene.json": file_scene(name)})
            yield Case(f"{ending} of a scene: {what}", scene_files, "run scene.json", 'bodies[0] ("jelly")', name,
                       words)
    yield Case("folder as a surface", {"a.obj/": None}, "info a.obj", "a.obj: not a regular file")
    yield Case("folder without an ending", {}, "info .", ".: not a regular file")
    yield Case("unknown kind of file", {"a.xyzzy": b"hello"}, "info a.xyzzy", "a.xyzzy", ".obj")
    yield Case("device", {}, "info /dev/zero", "/dev/zero: not a regular file")


def tetrahedra_cases():
    head = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    for ending in ("msh", "node", "ele", "mesh", "meshb", "vtk", "vtu", "inp", "veg"):
        name = "bad." + ending
        for what, data, words in (("missing", None, "No such file"), ("empty", b"", "empty file"),
                                  ("garbage", GARBAGE, "")):
            for command in ("info " + name, f"mesh {name} -o out.vtu"):
                if (ending, what) != ("mesh", "garbage"):  # which may be a surface of another program
                    yield Case(f"{command}: {what}", {} if data is None else {name: data}, command, name, words)
    yield Case("100 million nodes", {"a.msh": head + b"$Nodes\n100000000\n1 0 0 0\n"}, "info a.msh", "a.msh:5",
               "100000000 nodes")
    yield from bad_element_cases()
    yield from matter_cases()
    yield Case("half of a pair", {"a.node": b"1 3\n1 0 0 0\n"}, "info a.node", "a.ele: No such file")


def bad_element_cases():
    """Each bad element in each format: for info, as the mesh of a scene, and once as what is to be converted."""
    for name, (make, first) in tets.FORMATS.items():
        for what, nodes, elements, words in tets.BAD_ELEMENTS:
            files = tets.encoded(make(nodes, elements))
            said = tets.words_for(words, first)
            yield Case(f"{name}: {what}", files, "info " + name, name.split(".")[0] + ".", said)
            mesh = {"bodies.0.mesh": {"kind": "file", "file": name}, "bodies.0.law": "green"}
            yield Case(f"{name} of a scene: {what}",
                       dict(files, **{"scene.json": scene(mesh, drop=("pins", "regions"))}), "run scene.json",
                       'bodies[0] ("jelly")', said)
            if name == "a.msh":
                yield Case(f"to be converted: {what}", files, "mesh a.msh -o b.vtu", said)
        for share in ("nodes", "tets") if make is not tets.abaqus else ():
            for more in (-1, 1, 1_000_000_000):
                files = tets.encoded(make(tets.NODES, tets.PAIR, **{"more_" + share: more}))
                yield Case(f"{name}: promises {more} more {share} than it holds", files, "info " + name, "a.")


def matter_cases():
    """What no tetrahedra can be made of, as a body's material and as a zone's."""
    for key, values, words in (("poissonsRatio", (0.5, 0.7, -1, 1e30), "expected a number above -1 and below 0.5"),
                               ("youngsModulus", (0, -5), "expected a number above 0"),
                               ("density", (0, -5), "expected a number above 0")):
        for value in values:
            for place, changes in (("bodies[0].material", {"bodies.0.material": {key: value}}),
                                   ("bodies[0].zones[0]", {"bodies.0.zones": [{key: value}]})):
                changes = dict(changes, **{"bodies.0.mesh": "tets", "bodies.0.law": "green"})
                yield Case(f"{place}.{key} = {value}", {"scene.json": scene(changes)}, "run scene.json",
                           f"{place}.{key}: is {value:g}; {words}")
    zone = {"bodies.0.law": "green", "bodies.0.mesh": "tets",
            "bodies.0.zones": [{"region": "nowhere", "density": 2}]}
    yield Case("zone of a region that is not there", {"scene.json": scene(zone)}, "run scene.json",
               'bodies[0].zones[0].region: is "nowhere"')


def body_cases():
    """Surfaces and values that no body can be made of."""
    flat = obj([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 3)])
    line = obj([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)])
    point = obj([(1, 1, 1)] * 3, [(0, 1, 2)])
    for mesh in ("tet-grid", "cloth"):
        for name, data in (("line", line), ("point", point)):
            yield Case(f"{mesh} of a {name}", {"scene.json": file_scene("a.obj", mesh), "a.obj": data},
                       "run scene.json", 'bodies[0] ("jelly")')
    yield Case("solid of a flat surface", {"scene.json": file_scene("a.obj"), "a.obj": flat}, "run scene.json",
               'bodies[0] ("jelly")', "volume")
    near = obj([(0, 0, 0), (1, 0, 0), (1, 1e-30, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 3)])
    yield Case("spring of almost no length",
               {"scene.json": file_scene("a.obj", "cloth", "symplectic-euler"), "a.obj": near},
               "run scene.json", "body 'jelly'", "would need", "too short")
    tiny = obj([(0, 0, 0), (1, 0, 0), (1, 1e-6, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 3)])
    yield Case("spring a million times shorter than the others",
               {"scene.json": file_scene("a.obj", "cloth", "symplectic-euler"), "a.obj": tiny}, "run scene.json", "body 'jelly'",
               "would need", "too short")
    far = obj([(1e38, 0, 0), (-1e38, 0, 0), (0, 1e38, 0), (0, 0, 1e38)])
    for mesh in ("tet-grid", "cloth"):
        yield Case(f"{mesh} of 1e38 m", {"scene.json": file_scene("a.obj", mesh), "a.obj": far}, "run scene.json",
                   'bodies[0] ("jelly")')
    small = obj([tuple(1e-30 * c for c in p) for p in TETRAHEDRON])
    yield Case("fit of a point", {"scene.json": scene({"bodies.0.shape": {"file": "a.obj", "fit": 1}}), "a.obj": point},
               "run scene.json", "has no size")
    for mesh in ("tet-grid", "cloth"):
        yield Case(f"{mesh} of 1e-30 m", {"scene.json": file_scene("a.obj", mesh), "a.obj": small}, "run scene.json",
                   'bodies[0] ("jelly")')
    for path, value, words in (
        ("bodies.0.material.density", -1, "bodies[0].material.density: is -1; expected a number above 0"),
        ("bodies.0.material.density", 0, "bodies[0].material.density: is 0; expected a number above 0"),
        ("bodies.0.nodeMass", -0.5, "bodies[0].nodeMass: is -0.5; expected a number above 0"),
        ("bodies.0.nodeMass", 0, "bodies[0].nodeMass: is 0; expected a number above 0"),
        ("bodies.0.material.youngsModulus", 0, "youngsModulus: is 0; expected a number above 0"),
        ("bodies.0.shape.size", [0.1, 0, 0.1], "shape.size[1]: is 0; expected a number above 0"),
        ("bodies.0.shape.edge", 1e-9, "edge"),
        ("bodies.0.mesh.edge", 1e-9, "mesh"),
        ("bodies.0.mesh.edge", 1e-4, "mesh"),
        ("bodies.0.shape", {"kind": "sphere", "radius": 1e30}, "shape.radius: is 1e+30; expected"),
        ("bodies.0.shape", {"kind": "cloth", "size": [1e5, 1, 1e5], "edge": 0.01}, "shape"),
        ("bodies.0.position", [1e38, 0, 0], "bodies[0].position[0]: is 1e+38; expected"),
        ("bodies.0.velocity", [0, 1e300, 0], "bodies[0].velocity[1]: is 1e+300; expected"),
        ("frameRate", 0, "frameRate: is 0; expected a number from 1 to 10000"),
        ("frameRate", 1e-9, "frameRate: is 1e-09; expected a number from 1 to 10000"),
        ("frameRate", 1e9, "frameRate: is 1e+09; expected a number from 1 to 10000"),
        ("frames", 0, "frames: is 0; expected a whole number from 1"),
        ("frames", 1e9, "frames: is 1e+09; expected a whole number from 1"),
        ("frames", "many", 'frames: is "many"; expected a whole number'),
        ("bodies.0.integrator", {"kind": "symplectic-euler", "steps": 10**9}, "integrator.steps: is 1e+09; expected"),
        ("gravity", [0, 1e40, 0], "gravity[1]: is 1e+40"),
        ("bodies", [], "bodies: is empty"),
        ("bodies", [{"name": "b%d" % i, "shape": {"kind": "box"}} for i in range(100_000)], "bodies: has 100000"),
        ("limber", 2, "limber: is 2; this build reads"),
    ):
        yield Case(f"{path} = {str(value)[:40]}", {"scene.json": scene({path: value})}, "run scene.json", "scene.json",
                   words)
    stiff = {"bodies.0.integrator": {"kind": "symplectic-euler", "steps": 1}, "bodies.0.material.youngsModulus": 1e9,
             "frames": 100}
    yield Case("a step far too long for the stiffness", {"scene.json": scene(stiff), "a.glb": b"old"},
               "run scene.json -o a.glb", "body 'jelly'", "stability bound")


def name_cases():
    """A scene that names what is not there."""
    for path, value, words in (
        ("bodies.0.shape", {"file": "nowhere.obj"}, "nowhere.obj: No such file"),
        ("pins.0.region", "left", 'pins[0].region: is "left"; expected one of the regions: "top"'),
        ("pins.0.body", "nobody", 'pins[0].body: is "nobody"; expected one of the bodies: "jelly"'),
        ("loads", [{"name": "a", "body": "jelly", "region": "left", "force": [0, 1, 0]}], "loads[0].region"),
        ("events", [{"time": 0, "release": "nothing"}], "events[0].release"),
        ("events", [{"time": 0, "tool": "nothing", "path": [{"time": 1, "position": [0, 0, 0]}]}], "events[0].tool"),
        ("events", [{"time": 0, "load": "nothing", "force": [0, 0, 0]}], "events[0].load"),
        ("grabs", [{"name": "a", "body": "nobody", "at": [0, 0, 0]}], "grabs[0].body"),
        ("probes", [{"name": "a", "what": "force", "pin": "nothing"}], "probes[0].pin"),
        ("probes", [{"name": "a", "what": "position", "body": "nobody"}], "probes[0].body"),
        ("record", {"bodies": ["nobody"]}, "record.bodies"),
        ("bodyes", [], 'unknown key "bodyes"; did you mean "bodies"?'),
        ("bodies.0.shape.kind", "cube", 'bodies[0].shape.kind: is "cube"; expected'),
    ):
        yield Case(f"{path} = {value}", {"scene.json": scene({path: value})}, "run scene.json", "scene.json", words)
    off = {"regions.top": {"sphere": {"center": [9, 9, 9], "radius": 1}}}
    yield Case("region that holds nothing", {"scene.json": scene(off)}, "run scene.json", 'region "top" holds no node')


def scene_text_cases():
    whole = scene()
    for what, data, words in (
        ("missing", None, "No such file"),
        ("empty", b"", "is empty; expected a JSON object"),
        ("garbage", GARBAGE, "line 1"),
        ("truncated", whole[:len(whole) // 2], "line 1"),
        ("list", b"[1]", "expected a JSON object"),
        ("deep nesting", b'{"limber":' * 100_000, "maximum parsing depth"),
        ("deep lists", b"[" * 1_000_000, "maximum parsing depth"),
        ("million keys", b"{" + b",".join(b'"k%d":1' % i for i in range(200_000)) + b"}", 'has no "limber"'),
        ("million bodies", b'{"limber": 1, "bodies": [' + b",".join([b"{}"] * 1_000_000) + b"]}",
         "bodies: has 1000000"),
        ("terminal controls", b'{"limber": 1, "\x1b[2J": 1}', ""),
        ("terminal controls, escaped", b'{"limber": 1, "bodies": [{"name": "\\u001b[2J"}]}', "bodies[0].name"),
        ("not UTF-8", b'{"limber": 1, "name": "\xff\xfe"}', "line 1"),
    ):
        files = {} if data is None else {"scene.json": data}
        yield Case(f"scene: {what}", files, "run scene.json", "scene.json", words)
    yield Case("folder as a scene", {"scene.json/": None}, "run scene.json", "scene.json: not a regular file")
    yield Case("surface as a scene", {"scene.json": stl()}, "run scene.json", "scene.json: line 1")


# Each way to write something: command, the file it writes.
WRITERS = (
    ("run scene.json -o {0}/out.glb", "out.glb"),
    ("run scene.json -o {0}/out.pvd", "out.pvd"),
    ("run scene.json -o {0}/out.pc2", "out.pc2"),
    ("run scene.json --probes {0}/out.csv", "out.csv"),
    ("run scene.json --save {0}/out.lbs", "out.lbs"),
    ("shape sphere --edge 0.01 -o {0}/out.obj", "out.obj"),
    ("shape sphere --edge 0.01 -o {0}/out.stl", "out.stl"),
    ("shape sphere --edge 0.01 -o {0}/out.ply", "out.ply"),
    ("shape sphere --edge 0.01 -o {0}/out.glb", "out.glb"),
)


def forbid(folder):
    os.chmod(os.path.join(folder, "locked"), 0o555)


def link_to_nothing(folder):
    os.symlink("nothing.csv", os.path.join(folder, "out.csv"))


def link_to_stdout(folder):
    os.symlink("/proc/self/fd/1", os.path.join(folder, "out.csv"))


def output_cases():
    # Enough to write that every file passes the limit of a full disk.
    rich = scene({"frames": 400, "bodies.0.shape.edge": 0.01})
    for command, name in WRITERS:
        old = {"scene.json": scene(), name: b"what stood here before"}
        full = {"scene.json": rich, name: b"what stood here before"}
        if name.endswith(".pvd"):
            full.update({"out/": None, "out/frame_00000.vtu": b"old frame"})
        what = command.split(" -")[0] + " to " + name
        yield Case(f"{what}: the disk is full", full, command.format("."), name, "could not be written", most=500)
        yield Case(f"{what}: the disk is full at once", full, command.format("."), name, "could not be written", most=0)
        yield Case(f"{what}: no such folder", old, command.format("missing"), "missing/" + name, "No such file")
        yield Case(f"{what}: a file as the folder", old, command.format("scene.json"), "scene.json/" + name,
                   "Not a directory")
        yield Case(f"{what}: a folder stands there", {"scene.json": scene(), f"{name}/": None}, command.format("."),
                   name, "not a regular file")
        yield Case(f"{what}: name too long", old, command.format("x" * 300), "xxx", "File name too long")
        if os.geteuid() != 0:
            locked = {"scene.json": scene(), "locked/": None}
            yield Case(f"{what}: the folder cannot be written", locked, command.format("locked"), "locked/" + name,
                       "Permission denied", prepare=forbid)
        elif os.path.isdir("/proc/self"):  # root may write anywhere but where nobody can
            yield Case(f"{what}: the folder cannot be written", old, command.format("/proc/self"), "/proc/self/" + name)
    yield Case("recording of an unknown ending", {"scene.json": scene(), "a.avi": b"old"}, "run scene.json -o a.avi",
               "a.avi", ".glb, .pvd or .pc2")
    yield Case("recording without an ending", {"scene.json": scene()}, "run scene.json -o out", "out",
               ".glb, .pvd or .pc2")
    yield Case("shape of an unknown ending", {"a.avi": b"old"}, "shape box -o a.avi", "a.avi", ".obj")
    two = scene({"bodies": [{"name": n, "shape": {"kind": "box"}} for n in "ab"]}, drop=("pins", "probes"))
    yield Case("point cache of two bodies", {"scene.json": two}, "run scene.json -o a.pc2", "a.pc2",
               "exactly one surface")
    yield Case("table of no probes", {"scene.json": scene(drop=("probes",)), "a.csv": b"old"},
               "run scene.json --probes a.csv", "a.csv: the scene has no probes")
    yield Case("folder of frames holds other things",
               {"scene.json": scene(), "out/": None, "out/letter.txt": b"dear"}, "run scene.json -o out.pvd",
               "holds more than a recording's frames")
    for what, prepare in (("nothing", link_to_nothing), ("the standard output", link_to_stdout)):
        yield Case(f"table through a link to {what}", {"scene.json": scene()}, "run scene.json --probes out.csv",
                   "out.csv: cannot be written", prepare=prepare)
    for command in ("--help", "info a.obj", "info a.obj --json", "run scene.json", "run scene.json --json",
                    "run scene.json -q", "shape --list", "shape box -o b.obj", "verify --list"):
        files = {"a.obj": obj(), "scene.json": scene()}
        if "b.obj" not in command:
            yield Case(f"full standard output: {command}", files, command, "standard output", stdout="full")
            yield Case(f"closed standard output: {command}", files, command, "standard output", stdout="closed")


def state_cases(limber):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "scene.json"), "wb") as file:
            file.write(scene())
        subprocess.run([limber, "run", "scene.json", "--save", "a.lbs"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        with open(os.path.join(folder, "a.lbs"), "rb") as file:
            good = file.read()
    flipped = bytearray(good)
    flipped[len(good) // 2] ^= 1
    for what, data, words in (
        ("missing", None, "No such file"),
        ("empty", b"", ""),
        ("cut in half", good[:len(good) // 2], ""),
        ("one byte short", good[:-1], ""),
        ("one byte more", good + b"x", ""),
        ("one bit flipped", bytes(flipped), ""),
        ("garbage", GARBAGE, ""),
        ("some other file", obj(), ""),
    ):
        files = {"scene.json": scene(), "b.glb": b"old"}
        if data is not None:
            files["a.lbs"] = data
        yield Case(f"state: {what}", files, "run scene.json --restore a.lbs -o b.glb", "a.lbs", words)
    for what, other in (("another mesh", scene({"bodies.0.mesh.edge": 0.025})),
                        ("another size", scene({"bodies.0.shape.size": [0.1, 0.1, 0.11]})),
                        ("another frame rate", scene({"frameRate": 17})),
                        ("no pin", scene(drop=("pins",)))):
        yield Case(f"state of another scene: {what}", {"scene.json": other, "a.lbs": good},
                   "run scene.json --restore a.lbs", "a.lbs")


def usage_cases():
    for command, words in (
        ("run", "SCENE is missing"),
        ("run a.json b.json", "'b.json' is one argument too many"),
        ("run a.json --threads -1", "--threads is '-1'; expected a whole number from 0 to 256"),
        ("run a.json --threads 1e9", "--threads is '1e9'; expected a whole number"),
        ("run a.json --threads 99999999999999999999", "--threads is '9"),
        ("run a.json --frames -5", "--frames is '-5'; expected a whole number from 0"),
        ("run a.json --frames abc", "--frames is 'abc'; expected a whole number from 0"),
        ("run a.json --frames 1e30", "--frames is '1e30'"),
        ("run a.json --frames=", "--frames is ''; expected a whole number"),
        ("run a.json --frames", "--frames needs a value"),
        ("run a.json --output=", "--output is empty"),
        ("run a.json --tolerance 0", "--tolerance is '0'; expected a number from 1e-05 to 1"),
        ("run a.json --frame 5", "unknown option '--frame'; did you mean --frames?"),
        ("run a.json -x", "unknown option '-x'"),
        ("run a.json --json=yes", "--json takes no value"),
        ("shape sphere --radius 1e30 -o a.obj", "--radius is '1e30'; expected"),
        ("shape sphere --radius nan -o a.obj", "--radius is 'nan'; expected"),
        ("shape sphere --radius -1 -o a.obj", "--radius is '-1'; expected"),
        ("shape box --edge 0 -o a.obj", "--edge is '0'; expected"),
        ("shape box --size 1,2 -o a.obj", "does not suit a box"),
        ("shape box --size 1,,2 -o a.obj", "--size is '1,,2'; expected"),
        ("dance", "unknown command 'dance'"),
        ("verify dance", "unknown suite 'dance'"),
        ("bench dance", "unknown"),
    ):
        yield Case(f"usage: {command}", {}, command, words, code=2)
    for command in ("shape box --edge 1e-6 -o a.obj", "shape sphere --radius 1000 --edge 1e-6 -o a.obj",
                    "shape bunny --size 1000 --edge 1e-5 -o a.stl", "shape torus --radius 1 --inner-radius 2 -o a.obj",
                    "shape tube --radius 1 --inner-radius 1 -o a.obj", "shape cloth --size 1e6 --edge 1e-6 -o a.obj"):
        yield Case(f"shape: {command}", {"a.obj": b"old"}, command, "shape: ")
