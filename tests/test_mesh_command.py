"""`limber mesh` as a user meets it. Usage: test_mesh_command.py LIMBER"""
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
    done = subprocess.run([LIMBER, "mesh", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Mesh(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def measured(self, *arguments):
        code, text, errors = run(*arguments, "--json")
        self.assertEqual((code, errors), (0, ""), arguments)
        return [json.loads(line) for line in text.splitlines()]

    def test_a_mesh_is_written_and_read_back_as_it_was(self):
        path = self.path("liver.msh")
        made = self.measured("liver", "--edge", "0.05", "-o", path)[0]
        self.assertEqual((made["surface"], made["file"], made["edge"]), ("liver", path, 0.05))
        self.assertGreaterEqual(made["smallest_angle"], 10.78)
        self.assertLessEqual(made["largest_angle"], 164.74)
        self.assertLess(abs(made["volume_error"]), 0.06)
        self.assertEqual(made["surface_euler_number"], 2)
        found = self.measured(path)[0]
        for key in ("points", "tetrahedra", "volume", "smallest_angle", "courant_length", "mean_edge"):
            self.assertEqual(found[key], made[key], key)
        self.assertIsNone(found["volume_error"])
        other = self.path("liver.vtu")
        self.assertEqual(self.measured(path, "-o", other)[0]["tetrahedra"], made["tetrahedra"])
        self.assertEqual(self.measured(other)[0]["volume"], made["volume"])

    def test_levels_halve_the_edge_and_have_files_of_their_own(self):
        levels = self.measured("torus", "--across", "12", "--levels", "3", "--relax", "-o", self.path("torus.veg"))
        self.assertEqual([level["level"] for level in levels], [1, 2, 3])
        for coarse, fine in zip(levels, levels[1:]):
            self.assertEqual(coarse["edge"], 2 * fine["edge"])
            self.assertAlmostEqual(coarse["mean_edge"] / fine["mean_edge"], 2, delta=0.2)
            self.assertLess(abs(fine["volume_error"]), abs(coarse["volume_error"]))
        self.assertEqual(sorted(os.listdir(self.folder)), ["torus-1.veg", "torus-2.veg", "torus-3.veg"])

    def test_structured_meshes_have_the_cells_that_were_asked_for(self):
        made = self.measured("box", "--mesher", "structured", "--cells", "4,3,2")[0]
        self.assertEqual((made["tetrahedra"], made["points"]), (4 * 3 * 2 * 6, 5 * 4 * 3))
        self.assertAlmostEqual(made["volume_error"], 0, delta=1e-6)

    def test_the_courant_step_is_the_length_over_the_wave_speed(self):
        made = self.measured("sphere", "--across", "8", "--youngs-modulus", "1e6", "--poissons-ratio", "0",
                             "--density", "100")[0]
        self.assertAlmostEqual(made["courant_step"] * 100, made["courant_length"], delta=1e-9)

    def test_the_mesh_does_not_depend_on_threads(self):
        contents = []
        for threads in ("1", "2"):
            path = self.path("torus%s.msh" % threads)
            self.measured("torus", "--across", "20", "--relax", "--threads", threads, "-o", path)
            with open(path, "rb") as file:
                contents.append(file.read())
        self.assertEqual(contents[0], contents[1])

    def test_people_get_a_list_or_a_table(self):
        code, text, _ = run("box", "--edge", "0.1")
        self.assertEqual(code, 0)
        self.assertIn("angles between faces, degrees", text)
        code, text, _ = run("box", "sphere", "--edge", "0.1")
        self.assertEqual((code, len(text.splitlines())), (0, 4), text)
        self.assertEqual(run("box", "--edge", "0.1", "--quiet")[1], "")

    def test_gmsh_keeps_sharp_edges(self):
        if not os.path.exists(os.path.join(os.path.dirname(LIMBER), "limber-gmsh")):
            code, _, errors = run("box", "--edge", "0.1", "--mesher", "gmsh")
            self.assertEqual(code, 1)
            self.assertIn("limber-gmsh is not installed", errors)
            self.skipTest("no limber-gmsh beside limber")
        # The box's volume is there to the last corner; stuffing rounds the corners off.
        sharp = self.measured("box", "--edge", "0.09", "--mesher", "gmsh")[0]
        self.assertAlmostEqual(sharp["volume_error"], 0, delta=1e-6)
        self.assertLess(self.measured("box", "--edge", "0.09")[0]["volume_error"], -1e-3)
        self.assertEqual(run("cloth", "--edge", "0.1", "--mesher", "gmsh")[0], 1)
        fandisk = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../shared/data/fandisk.obj")
        if os.path.exists(fandisk):
            sharp = self.measured(fandisk, "--edge", "0.25", "--mesher", "gmsh")[0]
            plain = self.measured(fandisk, "--edge", "0.25")[0]
            self.assertLess(abs(sharp["volume_error"]), 0.2 * abs(plain["volume_error"]))
            self.assertEqual((sharp["parts"], sharp["surface_euler_number"]), (1, 2))

    def test_wrong_usage(self):
        for arguments, words in (
            (["box"], "how fine is missing: --edge H, or --across N"),
            (["box", "--edge", "0"], "expected a number from 1e-09"),
            (["box", "--edge", "-1"], "expected a number"),
            (["box", "--edge", "nan"], "expected a number"),
            (["box", "--edge", "1", "--across", "2"], "say the same"),
            (["box", "--edge", "1", "--cells", "1,2,3"], "with --mesher structured only"),
            (["box", "--mesher", "structured", "--cells", "1,2.5,3"], "expected whole numbers"),
            (["box", "--edge", "1", "--mesher", "structurd"], "did you mean 'structured'?"),
            (["box", "sphere", "--edge", "1", "-o", "x.msh"], "-o takes one mesh"),
            (["x.msh", "--edge", "1"], "x.msh holds tetrahedra already"),
            (["box", "--edge", "1", "--mesher", "structured", "--relax"], "nothing to do"),
            (["box", "--edge", "1", "--poissons-ratio", "0.5"], "expected a number from -0.999 to 0.4999"),
            (["box", "--edge", "1", "--density", "0"], "expected a number"),
            (["box", "--edge", "1", "--youngs-modulus", "-1"], "expected a number"),
            (["box", "--edge", "1", "--levels", "0"], "expected a whole number from 1 to 16"),
        ):
            code, text, errors = run(*arguments)
            self.assertEqual((code, text), (2, ""), arguments)
            self.assertIn(words, errors)

    def test_what_cannot_be_meshed_is_said(self):
        for arguments, words in (
            (["box", "--edge", "1e-6"], "would make up to 1.18e+18 tetrahedra; expected a longer edge"),
            (["box", "--edge", "0.0016"], "would make about 2.88e+08 tetrahedra; expected a longer edge, 0.00309 m"),
            (["box", "--edge", "0.1", "--levels", "12"], "would make up to 1.01e+13 tetrahedra"),
            (["box", "--edge", "1000"], "no inside to mesh at an edge of 1000 m; expected"),
            (["box", "--mesher", "structured", "--cells", "1000,1000,1000"], "would make 6e+09 tetrahedra"),
            (["cloth", "--edge", "0.1"], "no inside"),
            (["torus", "--edge", "0.1", "--mesher", "structured"], "no structured mesh"),
            (["nowhere.obj", "--edge", "0.1"], "nowhere.obj"),
            (["nowhere.msh"], "nowhere.msh"),
            (["blx", "--edge", "0.1"], "neither a file of a surface nor a kind of shape"),
            (["box", "--edge", "0.1", "-o", self.path("no/such/folder/x.msh")], "no/such/folder"),
            (["box", "--edge", "0.1", "-o", self.path("x.zzz")], "zzz"),
            (["box", "--edge", "0.1", "-o", self.path("x")], "cannot write a tetrahedral mesh as ''"),
            (["box", "--edge", "0.1", "-o", self.path("x.veg"), "--binary"], "cannot be written as binary"),
            (["box", "--edge", "0.1", "-o", self.path("x.msh"), "--gmsh-version", "3"], "expected 2 or 4"),
            (["box", "--edge", "0.1", "--view", self.path("x.msh")], "cannot write a shape as '.msh'"),
        ):
            code, text, errors = run(*arguments)
            self.assertEqual((code, text), (1, ""), arguments)
            self.assertIn(words, errors)
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_surface_that_is_inside_out_is_turned_where_that_is_asked(self):
        path = self.path("inside_out.obj")
        with open(path, "w") as file:
            file.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n")
        code, text, errors = run(path, "--edge", "0.2")
        self.assertEqual((code, text), (1, ""))
        self.assertIn("inside out", errors)
        self.assertIn("--flip", errors)
        code, text, errors = run(path, "--edge", "0.2", "--flip", "--json")
        self.assertEqual(code, 0, errors)
        self.assertGreater(json.loads(text)["volume"], 0.1)

    def test_an_output_that_cannot_be_written_is_known_before_the_work(self):
        # A mesh of 4.9 million tetrahedra takes much longer than this may.
        for name in ("no/such/folder/x.msh", "x.zzz"):
            done = subprocess.run([LIMBER, "mesh", "box", "--edge", "0.00625", "-o", self.path(name)],
                                  stderr=subprocess.PIPE, timeout=5)
            self.assertEqual(done.returncode, 1)

    def test_ctrl_c_leaves_no_half_file(self):
        path = self.path("box.msh")
        made = subprocess.Popen([LIMBER, "mesh", "box", "--edge", "0.025", "-o", path], stdout=subprocess.DEVNULL)
        while made.poll() is None and os.listdir(self.folder) == []:  # nothing while it meshes: it is then written
            time.sleep(0.002)
        made.send_signal(signal.SIGINT)
        self.assertIn(made.wait(timeout=300), (0, -signal.SIGINT))
        self.assertIn(os.listdir(self.folder), ([], ["box.msh"]))
        if os.path.exists(path):
            self.assertGreater(self.measured(path)[0]["tetrahedra"], 70000)


if __name__ == "__main__":
    LIMBER = os.path.abspath(sys.argv.pop(1))
    unittest.main()
