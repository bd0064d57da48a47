"""`limber precompute` as a user meets it: what files of meshes name becomes controls and matter; whatever goes wrong, no
half file is left. Usage: test_precompute.py LIMBER"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

LIMBER = None


def run(*arguments):
    done = subprocess.run([LIMBER, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def tube_scene(**tube):
    shape = {"length": 0.6, "axial": 12, "around": 8, "radial": 1, **tube}
    return {"limber": 1, "bodies": [{"name": "tube", "kind": "elastostatic", "elastostatic": {"tube": shape}}]}


def read_vtk(path):
    """Points and tetrahedra of a file that `limber mesh` has written as text."""
    with open(path) as file:
        words = file.read().split()
    at = words.index("POINTS")
    count = int(words[at + 1])
    numbers = [float(word) for word in words[at + 3:at + 3 + 3 * count]]
    points = [numbers[3 * i:3 * i + 3] for i in range(count)]
    at = words.index("CELLS")
    cells = int(words[at + 1])
    values = [int(word) for word in words[at + 3:at + 3 + 5 * cells]]
    return points, [values[5 * i + 1:5 * i + 5] for i in range(cells)]


class Precompute(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text if isinstance(text, str) else json.dumps(text))
        return self.path(name)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def leftovers(self):
        return sorted(name for name in os.listdir(self.folder) if ".lbe" in name)

    # ---- Groups and matter of files

    def write_bar(self):
        """A bar of two materials along x as a Gmsh, an Abaqus and a VTK file; which nodes and elements are where."""
        code, _, errors = run("mesh", "box", "--mesher", "structured", "--cells", "6,2,2", "-q", "-o",
                              self.path("plain.vtk"))
        self.assertEqual((code, errors), (0, ""))
        points, tets = read_vtk(self.path("plain.vtk"))
        self.far = max(p[0] for p in points)
        start = [i for i, p in enumerate(points) if p[0] < -0.5 * self.far]
        end = [i for i, p in enumerate(points) if p[0] > 0.5 * self.far]
        soft = [sum(points[i][0] for i in tet) / 4 < 0 for tet in tets]
        self.assertGreater(min(len(start), len(end), sum(soft), len(soft) - sum(soft)), 8)
        nodes = "\n".join(f"{i + 1}, {p[0]!r}, {p[1]!r}, {p[2]!r}" for i, p in enumerate(points))

        elements = "\n".join(f"{e + 1}, " + ", ".join(str(i + 1) for i in tet) for e, tet in enumerate(tets))

        def listed(numbers):
            return ",\n".join(str(i + 1) for i in numbers)
        self.write("bar.inp", f"*NODE\n{nodes}\n*ELEMENT, TYPE=C3D4\n{elements}\n*ELSET, ELSET=soft\n"
                   f"{listed(e for e, one in enumerate(soft) if one)}\n*ELSET, ELSET=hard\n"
                   f"{listed(e for e, one in enumerate(soft) if not one)}\n*NSET, NSET=start\n{listed(start)}\n"
                   f"*NSET, NSET=end\n{listed(end)}\n*SOLID SECTION, ELSET=soft, MATERIAL=rubber\n"
                   "*SOLID SECTION, ELSET=hard, MATERIAL=wood\n*MATERIAL, NAME=rubber\n*DENSITY\n1100\n*ELASTIC\n1e6, 0.4\n"
                   "*MATERIAL, NAME=wood\n*DENSITY\n600\n*ELASTIC\n1e9, 0.3\n")
        flags = "\n".join("1" if i in start else "2" if i in end else "0" for i in range(len(points)))
        matter = {"density": (1100, 600), "youngsModulus": (1e6, 1e9), "poissonsRatio": (0.4, 0.3)}
        arrays = "".join(f"{name} 1 {len(tets)} double\n" + "\n".join(str(a if one else b) for one in soft) + "\n"
                         for name, (a, b) in matter.items())
        text = self.read("plain.vtk").split("CELL_DATA")[0]
        self.write("bar.vtk", f"{text}\nPOINT_DATA {len(points)}\nFIELD p 1\ncontrol 1 {len(points)} int\n{flags}\n"
                   f"CELL_DATA {len(tets)}\nFIELD c 3\n{arrays}")
        places = "\n".join(f"{i + 1} {p[0]!r} {p[1]!r} {p[2]!r}" for i, p in enumerate(points))
        dots = [(group, i) for group, members in ((1, start), (2, end)) for i in members]
        lines = [f"{k + 1} 15 2 {group} {group} {i + 1}" for k, (group, i) in enumerate(dots)]
        first = len(lines)
        lines += [f"{first + e + 1} 4 2 0 1 " + " ".join(str(i + 1) for i in tet) for e, tet in enumerate(tets)]
        data = "".join(f"$ElementData\n1\n\"{name}\"\n1\n0\n3\n0\n1\n{len(tets)}\n" +
                       "\n".join(f"{first + e + 1} {a if soft[e] else b}" for e in range(len(tets))) +
                       "\n$EndElementData\n" for name, (a, b) in matter.items())
        self.write("bar.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n0 1 \"start\"\n0 2 \"end\"\n"
                   f"$EndPhysicalNames\n$Nodes\n{len(points)}\n{places}\n$EndNodes\n$Elements\n{len(lines)}\n" +
                   "\n".join(lines) + f"\n$EndElements\n{data}")

    def bar_scene(self, mesh, groups):
        controls = [{"name": name, "group": group} for name, group in zip(("start", "end"), groups)]
        return {"limber": 1, "bodies": [{"name": "bar", "kind": "elastostatic", "mesh": {"kind": "file", "file": mesh},
                                         "elastostatic": {"controls": controls}}]}

    def test_groups_and_matter_of_three_formats_make_one_model(self):
        self.write_bar()
        by_region = self.bar_scene("plain.vtk", ("", ""))
        by_region["regions"] = {"a": {"box": {"lower": [-1, -1, -1], "upper": [-0.5 * self.far, 1, 1]}},
                                "b": {"box": {"lower": [0.5 * self.far, -1, -1], "upper": [1, 1, 1]}},
                                "left": {"box": {"lower": [-1, -1, -1], "upper": [0, 1, 1]}}}
        body = by_region["bodies"][0]
        body["elastostatic"]["controls"] = [{"name": "start", "region": "a"}, {"name": "end", "region": "b"}]
        body["material"] = {"density": 600, "youngsModulus": 1e9, "poissonsRatio": 0.3}
        body["zones"] = [{"region": "left", "density": 1100, "youngsModulus": 1e6, "poissonsRatio": 0.4}]
        scenes = {"regions": by_region, "inp": self.bar_scene("bar.inp", ("start", "end")),
                  "msh": self.bar_scene("bar.msh", ("start", "end")),
                  "vtk": self.bar_scene("bar.vtk", ("control 1", "control 2"))}
        models = {}
        for name, scene in scenes.items():
            output = self.path(f"{name}.lbe")
            code, _, errors = run("precompute", self.write(f"{name}.json", scene), "-o", output)
            self.assertEqual((code, errors), (0, ""), name)
            with open(output, "rb") as file:
                models[name] = file.read()
        for name in ("inp", "msh", "vtk"):  # the same nodes, elements, controls and matter: bit for bit
            self.assertEqual(models[name], models["regions"], name)

    def test_a_group_that_is_not_there_is_refused_with_those_that_are(self):
        self.write_bar()
        scene = self.write("scene.json", self.bar_scene("bar.inp", ("start", "tip")))
        code, _, errors = run("precompute", scene, "-o", self.path("bar.lbe"))
        self.assertEqual(code, 1)
        self.assertIn("control 'end': the mesh has no group of nodes 'tip'; it has 'start', 'end', 'soft', 'hard'", errors)
        both = self.write("both.json", self.bar_scene("bar.inp", ("start", "soft")))
        code, _, errors = run("precompute", both, "-o", self.path("bar.lbe"))
        self.assertEqual(code, 1)
        self.assertIn("is in control 'start' and again in 'end'", errors)
        self.assertEqual(self.leftovers(), [])

    # ---- Bodies that are touched anywhere

    def ball_scene(self, **compliant):
        return {"limber": 1, "frames": 20,
                "regions": {"below": {"halfSpace": {"point": [0, 0.8, 0], "normal": [0, 1, 0]}}},
                "bodies": [{"name": "ball", "kind": "compliant", "shape": {"kind": "sphere", "radius": 0.5, "edge": 0.25},
                            "position": [0, 1, 0], "rotation": {"axis": [0, 0, 1], "degrees": 30},
                            "compliant": {"held": ["below"], **compliant}}],
                "tools": [{"name": "probe", "kind": "sphere", "radius": 2, "position": [0, 3.4, 0]}],
                "probes": [{"name": "f", "what": "force", "tool": "probe"}]}

    def run_scene(self, name, scene):
        """The state's hash and the force on the probe, N, upwards."""
        code, output, errors = run("run", self.write(name, scene), "--json")
        self.assertEqual((code, [line for line in errors.splitlines() if ": note:" not in line]), (0, []), name)
        report = json.loads(output)
        return report["hash"], report["probes"]["f.y"]

    def test_a_body_of_a_response_file_is_the_body_that_was_precomputed(self):
        whole = self.ball_scene()
        code, output, errors = run("precompute", self.write("ball.json", whole), "-o", self.path("ball.lbr"), "--json")
        self.assertEqual((code, errors), (0, ""))
        report = json.loads(output)
        self.assertEqual(report["file_mb"], os.path.getsize(self.path("ball.lbr")) * 1e-6)
        self.assertLess(report["free_nodes"], report["surface_nodes"])
        self.assertGreater(report["peak_mb"], report["file_mb"])
        opened = self.ball_scene()
        del opened["bodies"][0]["shape"]
        opened["bodies"][0]["compliant"] = {"file": "ball.lbr"}
        self.assertEqual(self.run_scene("a.json", whole), self.run_scene("b.json", opened))
        code, output, errors = run("info", self.path("ball.lbr"), "--json")
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(json.loads(output)["free_points"], report["free_nodes"])

    def test_boundary_and_finite_elements_hold_a_probe_alike(self):
        forces = []
        for compliant in ({}, {"method": "finite-elements"}):
            scene = self.ball_scene(**compliant)
            scene["bodies"][0]["shape"]["edge"] = 0.1
            if compliant:
                scene["bodies"][0]["mesh"] = {"kind": "tets", "edge": 0.1}
            forces.append(self.run_scene("one.json", scene)[1])
        self.assertLess(abs(forces[1] / forces[0] - 1), 0.05, forces)

    def test_a_response_that_cannot_be_made_says_why_and_leaves_no_file(self):
        nothing = self.ball_scene()
        nothing["regions"]["below"]["halfSpace"]["point"] = [0, -5, 0]
        everything = self.ball_scene()
        everything["regions"]["below"]["halfSpace"]["point"] = [0, 5, 0]
        named = self.ball_scene()
        named["regions"]["below"] = {"nodes": [1, 2]}
        cases = ((nothing, "nothing of the surface is held"), (everything, "all of the surface is held"),
                 (named, "names nodes of a mesh"))
        for scene, words in cases:
            code, _, errors = run("precompute", self.write("bad.json", scene), "-o", self.path("bad.lbr"))
            self.assertEqual(code, 1)
            self.assertIn(words, errors)
        huge = self.ball_scene()
        huge["bodies"][0]["shape"]["edge"] = 0.02
        code, _, errors = run("run", self.write("huge.json", huge))
        self.assertEqual(code, 1)
        self.assertIn("points of the surface would take minutes", errors)
        large = self.ball_scene()
        large["bodies"][0]["shape"]["edge"] = 0.12
        code, _, errors = run("precompute", self.write("large.json", large), "-o", self.path("bad.lbr"),
                              "--memory", "0.001")
        self.assertEqual(code, 1)
        self.assertIn("the limit is", errors)
        self.assertFalse([name for name in os.listdir(self.folder) if ".lbr" in name])
        code, _, errors = run("info", self.write("foreign.lbr", "not one of ours"))
        self.assertEqual(code, 1)
        self.assertIn("foreign.lbr", errors)

    # ---- No half file

    def test_too_little_memory_is_said_before_it_is_taken_and_leaves_the_old_file(self):
        old = self.write("tube.lbe", "old")
        scene = self.write("scene.json", tube_scene(axial=60, around=16, radial=2))
        code, _, errors = run("precompute", scene, "-o", old, "--memory", "0.002")
        self.assertEqual(code, 1)
        self.assertIn("the limit is", errors)
        self.assertEqual((self.read("tube.lbe"), self.leftovers()), ("old", ["tube.lbe"]))

    def test_an_interrupted_precomputation_leaves_no_file(self):
        scene = self.write("scene.json", tube_scene(axial=200, around=48, radial=4))
        old = self.write("tube.lbe", "old")
        running = subprocess.Popen([LIMBER, "precompute", scene, "-o", old], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        time.sleep(0.5)
        running.send_signal(signal.SIGINT)
        errors = running.communicate(timeout=120)[1].decode()
        self.assertNotEqual(running.returncode, 0, errors)
        self.assertEqual((self.read("tube.lbe"), self.leftovers()), ("old", ["tube.lbe"]))

    def test_a_folder_that_is_not_there_is_named(self):
        scene = self.write("scene.json", tube_scene())
        code, _, errors = run("precompute", scene, "-o", self.path("none/tube.lbe"))
        self.assertEqual(code, 1)
        self.assertIn("none", errors)


if __name__ == "__main__":
    LIMBER = os.path.abspath(sys.argv.pop(1))
    unittest.main()
