"""limber run, from files that others made to files that others open. Usage: test_run.py LIMBER"""
import csv
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

LIMBER = None

CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
# Counter-clockwise seen from outside; corner numbers as in CORNERS.
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]


def run(*arguments):
    done = subprocess.run([LIMBER, "run", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def png(width, height, pixels):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + pixels[3 * width * y : 3 * width * (y + 1)] for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Glb:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        magic, version, size, length, kind = struct.unpack_from("<4sIII4s", data)
        assert (magic, version, size, kind) == (b"glTF", 2, len(data), b"JSON")
        self.json = json.loads(data[20 : 20 + length])
        self.binary = data[20 + length + 8 :]

    def view(self, index):
        view = self.json["bufferViews"][index]
        start = view.get("byteOffset", 0)
        return self.binary[start : start + view["byteLength"]], view.get("byteStride")

    def accessor(self, index):
        """Its values, normalised integers as numbers from 0 to 1 (or from -1)."""
        accessor = self.json["accessors"][index]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        letter, most = {5126: ("f", 1), 5125: ("I", 1), 5123: ("H", 65535), 5122: ("h", 32767), 5121: ("B", 255)}[
            accessor["componentType"]
        ]
        data, stride = self.view(accessor["bufferView"])
        stride = stride or width * struct.calcsize(letter)
        scale = most if accessor.get("normalized") else 1
        start = accessor.get("byteOffset", 0)
        rows = [struct.unpack_from("<%d%s" % (width, letter), data, start + stride * i) for i in range(accessor["count"])]
        return [tuple(value / scale for value in row) if scale != 1 else row for row in rows]


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, contents):
        with open(self.path(name), "wb") as file:
            file.write(contents if isinstance(contents, bytes) else contents.encode())
        return self.path(name)

    def scene(self, shape, **more):
        body = {"name": "thing", "shape": shape, "position": [0, 1, 0], "mesh": {"kind": "tet-grid", "edge": 0.5}}
        scene = {"limber": 1, "frames": 12, "ground": {}, "bodies": [body], **more}
        return self.write("scene.json", json.dumps(scene))

    def run_well(self, *arguments):
        code, text, errors = run(*arguments)
        self.assertEqual((code, errors), (0, ""), arguments)
        return text

    def last_object(self, *arguments):
        return json.loads(self.run_well(*arguments, "--json").splitlines()[-1])

    def write_textured_cube(self):
        image = png(4, 4, bytes(range(48)))
        self.write("paint.png", image)
        self.write("cube.mtl", "newmtl painted\nKd 1 0.5 0.25\nmap_Kd paint.png\nnewmtl plain\nKd 0 0 1\n")
        lines = ["mtllib cube.mtl"]
        lines += ["v %g %g %g" % corner for corner in CORNERS]
        lines += ["vt %g %g" % corner for corner in SQUARE]
        for i, side in enumerate(SIDES):
            lines.append("usemtl plain" if i == 5 else "usemtl painted")
            lines.append("f " + " ".join("%d/%d" % (corner + 1, k + 1) for k, corner in enumerate(side)))
        self.write("cube.obj", "\n".join(lines) + "\n")
        return image

    def test_a_textured_surface_keeps_its_looks_and_its_order_on_the_way_to_an_animation(self):
        image = self.write_textured_cube()
        scene = self.scene({"file": "cube.obj"})
        self.run_well(scene, "-o", self.path("out.glb"), "-q")
        glb = Glb(self.path("out.glb"))
        self.assertGreater(len(glb.json["animations"]), 0)

        looks = {material["name"]: material["pbrMetallicRoughness"] for material in glb.json["materials"]}
        self.assertEqual(set(looks), {"painted", "plain"})
        texture = glb.json["textures"][looks["painted"]["baseColorTexture"]["index"]]
        source = glb.json["images"][texture["source"]]
        self.assertEqual(source["mimeType"], "image/png")
        self.assertEqual(glb.view(source["bufferView"])[0], image)
        self.assertNotIn("baseColorTexture", looks["plain"])
        self.assertEqual(looks["plain"]["baseColorFactor"][2], 1)

        seen = set()
        for primitive in glb.json["meshes"][0]["primitives"]:
            attributes = primitive["attributes"]
            positions = glb.accessor(attributes["POSITION"])
            self.assertEqual(len(positions), glb.json["accessors"][attributes["POSITION"]]["count"])
            for k in range(8):  # copies for other texture coordinates come behind
                self.assertLess(max(abs(positions[k][c] - positions[0][c] - CORNERS[k][c]) for c in range(3)), 1e-5)
            coordinates = glb.accessor(attributes["TEXCOORD_0"])
            indices = [row[0] for row in glb.accessor(primitive["indices"])]
            name = glb.json["materials"][primitive["material"]]["name"]
            for k in range(0, len(indices), 3):
                for index in indices[k : k + 3]:
                    place = tuple(round(positions[index][c] - positions[0][c]) for c in range(3))
                    u, v = coordinates[index]
                    seen.add((name, CORNERS.index(place), round(u, 3), round(v, 3)))
        # glTF counts v from the top.
        wanted = {
            ("plain" if i == 5 else "painted", corner, u, 1 - v)
            for i, side in enumerate(SIDES)
            for corner, (u, v) in zip(side, SQUARE)
        }
        self.assertEqual(seen, wanted)

    def test_colours_of_points_reach_the_animation(self):
        lines = ["ply", "format ascii 1.0", "element vertex 8"]
        lines += ["property float " + axis for axis in "xyz"] + ["property uchar " + c for c in ("red", "green", "blue")]
        lines += ["element face 6", "property list uchar int vertex_indices", "end_header"]
        lines += ["%d %d %d %d %d %d" % (*corner, *(255 * value for value in corner)) for corner in CORNERS]
        lines += ["4 %d %d %d %d" % side for side in SIDES]
        self.write("cube.ply", "\n".join(lines) + "\n")
        self.run_well(self.scene({"file": "cube.ply"}), "-o", self.path("out.glb"), "-q")
        glb = Glb(self.path("out.glb"))
        colors = glb.accessor(glb.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"])
        self.assertEqual([tuple(round(value) for value in color[:3]) for color in colors], CORNERS)

    def test_the_summary_holds_what_programs_ask_for(self):
        probes = [{"name": "mid", "what": "position", "body": "thing"}, {"name": "all", "what": "energy"}]
        scene = self.scene({"kind": "box"}, probes=probes)
        last = self.last_object(scene, "--frames", "5", "--threads", "2", "-p", self.path("probes.csv"))
        self.assertEqual(last["frames"], 5)
        self.assertRegex(last["hash"], r"^[0-9a-f]{16}$")
        self.assertGreater(last["seconds"], 0)
        stages = ["adapt", "collide", "forces", "solve", "advance", "skin", "publish", "total"]
        self.assertEqual(list(last["profile"]), stages)
        with open(self.path("probes.csv"), newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(len(rows), 1 + 6)  # names; the beginning and five frames
        for name, value in last["probes"].items():
            column = next(i for i, title in enumerate(rows[0]) if title.split(" ")[0].split("[")[0] == name)
            self.assertLessEqual(abs(float(rows[-1][column]) - value), 1e-8 * abs(value))  # nine digits

    def test_tetrahedra_that_green_turned_inside_out_are_named_with_their_time(self):
        made = {
            "limber": 1, "frames": 30, "ground": {"height": 0},
            "bodies": [{"name": "block", "shape": {"kind": "box", "size": 0.2}, "mesh": {"kind": "tets", "edge": 0.07},
                        "law": "green", "material": {"youngsModulus": 2000, "stiffnessDamping": 0.002},
                        "position": [0, 0.3, 0], "velocity": [0, -3, 0]}]}
        said = r"limber: note: at t = 0\.\d+ s, in body 'block', \d+ of \d+ tetrahedra are flat or inside out, number \d+"
        path = self.write("green.json", json.dumps(made))
        code, text, errors = run(path, "--json", "--quiet")
        self.assertEqual(code, 0, errors)
        self.assertRegex(errors, said)
        self.assertEqual(len(errors.splitlines()), 1)  # when it begins
        self.assertGreater(json.loads(text)["inverted_tetrahedra"], 0)
        self.assertRegex(run(path)[1], r"\d+ tetrahedra are flat or inside out")
        # Laws that come back have nothing to tell.
        made["bodies"][0]["law"] = "neo-hookean"
        self.write("green.json", json.dumps(made))
        self.assertEqual(run(path)[::2], (0, ""))

    def test_the_hash_depends_on_neither_threads_nor_a_stop_on_the_way(self):
        muscle = {"name": "m", "body": "thing", "region": "all", "amplitude": 0.2, "frequency": 2}
        for integrator in ("symplectic-euler", "adams", "implicit-euler"):
            scene = self.scene({"kind": "sphere"}, regions={"all": "all"}, muscles=[muscle])
            with open(scene) as file:
                contents = json.load(file)
            contents["bodies"][0].update(integrator=integrator, position=[0, 0.3, 0])
            self.write("scene.json", json.dumps(contents))
            whole = self.last_object(scene, "--frames", "12", "--threads", "1")["hash"]
            self.assertEqual(self.last_object(scene, "--frames", "12", "--threads", "2")["hash"], whole)
            half = self.path("half.lbs")
            self.assertNotEqual(self.last_object(scene, "--frames", "7", "--save", half)["hash"], whole)
            end = self.last_object(scene, "--restore", half, "--frames", "5", "--threads", "2")["hash"]
            self.assertEqual(end, whole, integrator)

    def test_every_kind_of_recording_holds_every_frame(self):
        scene = self.scene({"kind": "sphere", "edge": 0.1}, record={"every": 2})
        for name in ("out.glb", "out.pvd", "out.pc2"):
            self.run_well(scene, "-o", self.path(name), "-q")
        with open(self.path("out.pc2"), "rb") as file:
            signature, _, points, _, _, samples = struct.unpack("<12siiffi", file.read(32))
        self.assertEqual((signature, samples), (b"POINTCACHE2\0", 7))
        self.assertEqual(os.path.getsize(self.path("out.pc2")), 32 + 12 * points * samples)
        with open(self.path("out.pvd")) as file:
            self.assertEqual(file.read().count("<DataSet "), 7)
        glb = Glb(self.path("out.glb"))
        times = glb.accessor(glb.json["animations"][0]["samplers"][0]["input"])
        self.assertAlmostEqual(times[-1][0], 12 / 60, places=5)


if __name__ == "__main__":
    LIMBER = os.path.abspath(sys.argv.pop(1))
    unittest.main()
