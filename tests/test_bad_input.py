"""Bad input, as a table: whatever is wrong, limber says what and where on one line, ends with 1 (2 for wrong usage) and
leaves every file as it was. Usage: test_bad_input.py LIMBER"""
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from bad_input_cases import (body_cases, name_cases, output_cases, scene, scene_text_cases, state_cases, surface_cases,
                             tetrahedra_cases, usage_cases)

LIMBER = None
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "shared", "data")
SECONDS = 20  # the longest that any refusal may take


def write_files(folder, files):
    for name, data in files.items():
        path = os.path.join(folder, name)
        if name.endswith("/"):
            os.mkdir(path)
        else:
            with open(path, "wb") as file:
                file.write(data)


def read_files(folder):
    found = {}
    for place, folders, names in os.walk(folder):
        for name in folders:
            found[os.path.relpath(os.path.join(place, name), folder) + "/"] = None
        for name in names:
            path = os.path.join(place, name)
            if os.path.islink(path):
                continue
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def run_case(case, folder):
    def limit():
        if case.most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (case.most, case.most))
        if case.stdout == "closed":
            os.close(1)

    stdout = open("/dev/full", "wb") if case.stdout == "full" else subprocess.PIPE
    try:
        return subprocess.run([LIMBER, *case.command], cwd=folder, stdin=subprocess.DEVNULL, stdout=stdout,
                              stderr=subprocess.PIPE, timeout=SECONDS, preexec_fn=limit)
    finally:
        if stdout is not subprocess.PIPE:
            stdout.close()


class BadInput(unittest.TestCase):
    def check(self, case):
        with tempfile.TemporaryDirectory() as folder:
            write_files(folder, case.files)
            if case.prepare is not None:
                case.prepare(folder)
            done = run_case(case, folder)
            errors = done.stderr.decode(errors="replace")
            self.assertEqual(done.returncode, case.code, errors)
            self.assertEqual(done.stdout or b"", b"")
            self.assertRegex(errors, r"\A(limber: note: [^\x00-\x1f]+\n)*limber: [^\x00-\x1f]+\n\Z")
            for words in case.words:
                self.assertIn(words, errors)
            if read_files(folder) != case.files:
                self.fail("files changed: " + ", ".join(sorted(read_files(folder))))

    def check_all(self, cases):
        for case in cases:
            with self.subTest(case.what):
                self.check(case)

    def test_surfaces(self):
        self.check_all(surface_cases())

    def test_tetrahedra(self):
        self.check_all(tetrahedra_cases())

    def test_bodies(self):
        self.check_all(body_cases())

    def test_names(self):
        self.check_all(name_cases())

    def test_scene_text(self):
        self.check_all(scene_text_cases())

    def test_outputs(self):
        self.check_all(output_cases())

    def test_states(self):
        self.check_all(state_cases(LIMBER))

    def test_usage(self):
        self.check_all(usage_cases())


class Interruption(unittest.TestCase):
    """Ctrl-C in the middle of a run: nothing of it stays behind, and what stood there before does."""

    def interrupt(self, number, files, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            write_files(folder, files)
            run = subprocess.Popen([LIMBER, "run", "scene.json", *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            deadline = time.monotonic() + SECONDS
            while not any(".part" in name for name in os.listdir(folder)):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            run.send_signal(number)
            output, errors = run.communicate(timeout=SECONDS)
            self.assertEqual((run.returncode, output), (-number, b""))
            self.assertRegex(errors, rb"\Alimber: run: stopped after \d+ of 10000000 frames; nothing was written\n\Z")
            self.assertEqual(read_files(folder), files)

    def test_recordings_leave_nothing(self):
        for name in ("out.glb", "out.pvd", "out.pc2"):
            with self.subTest(name):
                files = {"scene.json": scene({"frames": 10_000_000}), name: b"what stood here before"}
                self.interrupt(signal.SIGINT, files, "-o", name)

    def test_a_table_leaves_nothing(self):
        files = {"scene.json": scene({"frames": 10_000_000}), "out.csv": b"what stood here before"}
        self.interrupt(signal.SIGINT, files, "--probes", "out.csv")

    def test_a_request_to_end_is_the_same(self):
        self.interrupt(signal.SIGTERM, {"scene.json": scene({"frames": 10_000_000})}, "-o", "out.pc2")


class Links(unittest.TestCase):
    def test_an_output_that_is_a_link_stays_one(self):
        with tempfile.TemporaryDirectory() as folder:
            write_files(folder, {"target.stl": b"old"})
            link = os.path.join(folder, "link.stl")
            os.symlink("target.stl", link)
            subprocess.run([LIMBER, "shape", "box", "-o", link, "--quiet"], check=True, timeout=SECONDS)
            self.assertEqual(os.readlink(link), "target.stl")
            self.assertGreater(os.path.getsize(os.path.join(folder, "target.stl")), 84)

    def test_what_the_command_prints_to_is_not_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            write_files(folder, {"scene.json": scene()})
            table = os.path.join(folder, "table.csv")
            with open(table, "wb") as stdout:
                done = subprocess.run([LIMBER, "run", "scene.json", "--probes", "table.csv"], cwd=folder, stdout=stdout,
                                      stderr=subprocess.PIPE, timeout=SECONDS)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"the program prints to it", done.stderr)


class RealFiles(unittest.TestCase):
    """What is odd about real meshes is told, and is no error. The facts are those of the data's own README."""

    def test_info_agrees_with_what_is_known_of_each(self):
        if not os.path.isdir(DATA):
            self.skipTest("no folder of real meshes beside the project")
        with open(os.path.join(DATA, "README.md"), encoding="utf-8") as file:
            rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in file if ".obj |" in line]
        self.assertGreaterEqual(len(rows), 9)
        for name, points, triangles, facts in rows:
            with self.subTest(name):
                self.check(name, points.replace(",", ""), triangles.replace(",", ""), facts.replace(",", ""))

    def check(self, name, points, triangles, facts):
        done = subprocess.run([LIMBER, "info", "--json", os.path.join(DATA, name)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        found = json.loads(done.stdout)
        number = {"two": 2, "three": 3, "four": 4, "one": 1}
        expected = {"points": int(points.split()[0]), "triangles": int(triangles)}
        for pattern, key in ((r"genus (\d+)", "genus"), (r"Euler number (-?\d+)", "euler_number"),
                             (r"(\d+) boundary edges", "boundary_edges"), (r"(\w+) components", "components"),
                             (r"(\w+) non-manifold edge", "non_manifold_edges")):
            match = re.search(pattern, facts)
            # The README counts points by their index, limber by their place: the same where no place has two points.
            if match and found["duplicate_points"] == 0:
                expected[key] = number[match[1]] if match[1] in number else int(match[1])
        used = re.search(r"\((\d+) used\)", points)
        if used:
            expected["used_points"] = int(used[1])
        if "closed" in facts:
            expected["closed"] = True
        if "open" in facts:
            expected["closed"] = False
        if "pinched" in facts:
            expected["pinched_points"] = 1
        if "texture coordinates" in facts:
            expected["texture_coordinates"] = True
        self.assertEqual({key: found.get(key) for key in expected}, expected)


if __name__ == "__main__":
    LIMBER = os.path.abspath(sys.argv.pop(1))
    unittest.main()
