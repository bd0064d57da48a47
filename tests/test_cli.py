"""The limber command as a user meets it. Usage: test_cli.py LIMBER"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

LIMBER = None


def run(*arguments, **options):
    done = subprocess.run([LIMBER, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def commands():
    """The names in the list of `limber --help`."""
    _, text, _ = run("--help")
    block = text.split("commands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in block.splitlines()]


def json_lines(text):
    return [json.loads(line) for line in text.splitlines()]


class Help(unittest.TestCase):
    def test_every_command_has_help_with_an_example(self):
        self.assertIn("bench", commands())
        for name in commands():
            if name == "help":
                continue
            for arguments in ([name, "--help"], ["help", name], [name, "-h"]):
                code, text, errors = run(*arguments)
                self.assertEqual((code, errors), (0, ""), arguments)
                self.assertIn("usage: limber " + name, text)
                self.assertIn("examples:\n  limber " + name, text)
                self.assertIn("--json", text)

    def test_help_and_version(self):
        for arguments in (["--help"], ["-h"], ["help"]):
            code, text, _ = run(*arguments)
            self.assertEqual(code, 0)
            self.assertIn("examples:", text)
        code, text, _ = run("--version")
        self.assertEqual(code, 0)
        self.assertRegex(text, r"^limber \d+\.\d+\.\d+\n$")


class Usage(unittest.TestCase):
    def refused(self, arguments, words):
        code, text, errors = run(*arguments)
        self.assertEqual((code, text), (2, ""), arguments)
        self.assertIn(words, errors)

    def test_wrong_usage_ends_with_2_and_says_what_was_expected(self):
        self.refused([], "usage:")
        self.refused(["bnech"], "did you mean 'bench'?")
        self.refused(["dance"], "unknown command 'dance'. Known:")
        self.refused(["--verison"], "unknown option")
        self.refused(["help", "benhc"], "did you mean 'bench'?")
        self.refused(["help", "bench", "more"], "one argument too many")
        self.refused(["bench", "--thread", "2"], "did you mean --threads?")
        self.refused(["bench", "--threads", "0"], "expected a whole number from 1 to 256")
        self.refused(["bench", "--threads"], "needs a value")
        self.refused(["bench", "machin"], "did you mean 'machine'? Known: machine")
        self.refused(["verify", "nothing"], "unknown suite 'nothing'. Known:")

    def test_output_that_cannot_be_written_is_a_failure(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w") as full:
            done = subprocess.run([LIMBER, "--help"], stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 1)


class Bench(unittest.TestCase):
    def test_machine_reports_its_limits_as_json(self):
        code, text, errors = run("bench", "machine", "--json")
        self.assertEqual((code, errors), (0, ""))
        first, *figures = json_lines(text)
        self.assertLessEqual({"processor", "threads", "compiler", "flags", "build_type"}, first["machine"].keys())
        values = {figure["metric"]: figure["value"] for figure in figures}
        for metric in ("memory_gbps_1", "memory_gbps_all", "fma_gflops_1", "fma_gflops_all"):
            self.assertGreater(values[metric], 0)
        for figure in figures:
            self.assertEqual(figure["bench"], "machine")
            self.assertIn("unit", figure)

    def test_list(self):
        code, text, _ = run("bench", "--list", "--json")
        self.assertEqual(code, 0)
        self.assertIn("machine", [entry["bench"] for entry in json_lines(text)])


# What is known not to hold yet: the rows of docs/contact.md that say "not met", as `limber verify contact` says, too.
# Whoever mends one takes it off this list.
OPEN = [
    r"^contact: impact, (springs and verlet|implicit): angular momentum lost",
    r"^contact: Hertz, 8 cells a radius: ",
]


class Verify(unittest.TestCase):
    def test_every_suite_holds(self):
        code, text, errors = run("verify", "--json", *os.environ.get("LIMBER_SUITES", "").split())
        self.assertEqual(errors, "", text)
        checks = json_lines(text)
        for check in checks:
            self.assertLessEqual({"check", "measured", "expected", "tolerance", "ok"}, check.keys())
        failed = [check for check in checks if not check["ok"]]
        self.assertEqual(code, 1 if failed else 0)
        self.assertEqual([c for c in failed if not any(re.search(name, c["check"]) for name in OPEN)], [])


class Shapes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_every_kind_is_written_and_read_back(self):
        code, text, _ = run("shape", "--list", "--json")
        self.assertEqual(code, 0)
        kinds = [entry["kind"] for entry in json_lines(text)]
        self.assertIn("torus", kinds)
        for kind in kinds:
            path = self.path(kind + ".obj")
            code, text, errors = run("shape", kind, "-o", path, "--json")
            self.assertEqual((code, errors), (0, ""), kind)
            made = json_lines(text)[0]
            code, text, errors = run("info", path, "--json")
            self.assertEqual((code, errors), (0, ""), kind)
            found = json_lines(text)[0]
            self.assertEqual((found["points"], found["triangles"]), (made["points"], made["triangles"]), kind)
            self.assertEqual(found["closed"], kind != "cloth", kind)
            self.assertEqual("nothing wrong" in found["verdict"], kind != "cloth", found["verdict"])

    def test_a_torus_has_genus_1_and_its_size(self):
        path = self.path('a "torus".stl')
        self.assertEqual(run("shape", "torus", "--radius", "0.4", "--inner-radius=0.1", "-o", path)[0], 0)
        code, text, _ = run("info", path, "--json")
        self.assertEqual(code, 0)
        found = json_lines(text)[0]
        self.assertEqual((found["file"], found["genus"], found["components"]), (path, 1, 1))
        self.assertAlmostEqual(found["upper"][0], 0.5, places=2)
        code, text, _ = run("info", path)
        self.assertEqual(code, 0)
        self.assertIn("genus", text)

    def test_a_file_that_cannot_be_read_does_not_hide_the_others(self):
        path = self.path("box.obj")
        self.assertEqual(run("shape", "box", "--size", "1,2,3", "-o", path, "--quiet"), (0, "", ""))
        code, text, errors = run("info", self.path("missing.obj"), path, "--quiet")
        self.assertEqual(code, 1)
        self.assertIn("missing.obj", errors)
        self.assertIn("nothing wrong", text)

    def test_wrong_usage(self):
        for arguments, words in (
            (["box"], "-o FILE"),
            ([], "KIND is missing"),
            (["bx", "-o", "x.obj"], "did you mean 'box'?"),
            (["box", "--radius", "1", "-o", "x.obj"], "a box has no --radius"),
            (["sphere", "--size", "1", "-o", "x.obj"], "does not suit a sphere"),
            (["box", "--size", "1,-1,1", "-o", "x.obj"], "expected 1 to 3 numbers"),
            (["box", "--edge", "0", "-o", "x.obj"], "expected a number from 1e-06"),
        ):
            code, text, errors = run("shape", *arguments)
            self.assertEqual((code, text), (2, ""), arguments)
            self.assertIn(words, errors)
        self.assertEqual(run("info")[0], 2)
        code, _, errors = run("shape", "box", "-o", self.path("no/such/folder/box.obj"))
        self.assertEqual(code, 1)
        self.assertIn("no/such/folder", errors)


NODES = "4 3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"


class Tetrahedra(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def test_info_says_what_is_in_a_file_and_what_was_done_about_it(self):
        self.write("a.node", NODES.replace("4 3", "5 3") + "9 7 7 7\n")
        path = self.write("a.ele", "1 4 1\n1 1 2 4 3 6\n")
        code, text, errors = run("info", path, "--json")
        self.assertEqual((code, errors), (0, ""))
        found = json_lines(text)[0]
        self.assertEqual((found["format"], found["file_nodes"], found["points"]), ("TetGen, text", 5, 4))
        self.assertEqual((found["turned_elements"], found["unused_nodes"], found["regions"]), (1, 1, 1))
        self.assertAlmostEqual(found["volume"], 1 / 6, places=14)
        self.assertEqual(found["verdict"], "1 elements the wrong way round, turned; 1 nodes that no tetrahedron uses, "
                                           "left out")
        code, text, errors = run("info", path)
        self.assertEqual((code, errors), (0, ""))
        self.assertRegex(text, "in the file +5 nodes, 1 elements")
        self.assertEqual(run("info", "--quiet", path)[1], path + ": " + found["verdict"] + "\n")

    def test_bad_elements_are_errors_or_left_out(self):
        self.write("a.node", NODES)
        path = self.write("a.ele", "3 4\n1 1 2 3 4\n2 4 3 2 1\n3 1 2 3 3\n")
        code, text, errors = run("info", path)
        self.assertEqual((code, text), (1, ""))
        self.assertIn(path + ":4: element 3 has no volume: it uses a node twice", errors)
        code, text, errors = run("info", "--leave-out", "--quiet", path)
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(text, path + ": 1 elements without volume, left out; 1 elements that stand twice, left out\n")

    def test_a_file_becomes_one_of_another_format(self):
        self.write("a.node", NODES)
        path, made = self.write("a.ele", "2 4 1\n1 1 2 3 4 7\n2 1 2 3 3 7\n"), os.path.join(self.folder, "b.msh")
        code, text, errors = run("mesh", path, "-o", made, "--quiet")
        self.assertEqual((code, text), (1, ""))
        self.assertEqual(errors, f"limber: mesh: {path}:3: element 2 has no volume: it uses a node twice\n")
        for options, name in (([], "2.2, text"), (["--binary"], "2.2, binary"), (["--gmsh-version=4"], "4.1, text"),
                              (["-b", "--gmsh-version", "4"], "4.1, binary")):
            self.assertEqual(run("mesh", path, "--leave-out", "-o", made, "--quiet", *options), (0, "", ""), options)
            found = json_lines(run("info", made, "--json")[1])[0]
            self.assertEqual((found["format"], found["tetrahedra"]), ("Gmsh " + name, 1))

    def test_a_bad_file_does_not_hide_the_others(self):
        self.write("good.node", NODES)
        good = self.write("good.ele", "1 4\n1 1 2 3 4\n")
        code, text, errors = run("info", "--quiet", self.write("bad.msh", "$MeshFormat\n"), good)
        self.assertEqual(code, 1)
        self.assertIn("bad.msh:2: Gmsh's file version", errors)
        self.assertIn("nothing wrong: 1 tetrahedra in one part", text)


if __name__ == "__main__":
    LIMBER = os.path.abspath(sys.argv.pop(1))
    if "shape" not in commands():
        del Shapes
    unittest.main()
