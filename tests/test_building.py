"""Building a scene with limber play: bodies come, go and change, all of it can be taken back, and nothing is a dead end.
Usage: test_building.py LIMBER"""
import base64
import json
import math
import os
import re
import resource
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import test_play
from play_client import Closed
from test_play import SCENE, TUBE, Play, distance, obj_cube

# A block of finite elements on the ground, with explicit steps.
BLOCK = {
    "limber": 1,
    "name": "block",
    "ground": {},
    "bodies": [{"name": "block", "shape": {"kind": "box", "size": 0.3, "edge": 0.1}, "law": "corotational",
                "mesh": {"kind": "tet-grid", "edge": 0.1}, "position": [0, 0.16, 0], "integrator": "symplectic-euler",
                "material": {"youngsModulus": 20000, "poissonsRatio": 0.4, "stiffnessDamping": 0.002}}],
}

# A block in free fall whose frames take long when it is stiff.
SLOW = {
    "limber": 1,
    "name": "slow",
    "bodies": [{"name": "block", "shape": {"kind": "box", "size": 0.3, "edge": 0.1}, "law": "corotational",
                "mesh": {"kind": "tet-grid", "edge": 0.025}, "integrator": "symplectic-euler",
                "material": {"youngsModulus": 20000, "poissonsRatio": 0.4, "stiffnessDamping": 0.002}}],
}


def middle(frame, body):
    positions = frame.bodies[body]["positions"]
    return [(max(positions[k::3]) + min(positions[k::3])) / 2 for k in range(3)]


def names(client):
    return [body["name"] for body in client.scene["bodies"]]


class Building(Play):
    def settle(self, client):
        """A frame of the newest scene."""
        return client.wait_frame(lambda frame: frame.revision == client.scene["revision"])

    def runs_on(self, client):
        client.do(type="pause", value=False)
        first = self.stat(client, client.wait_frame(), "time")
        client.wait_frame(lambda frame: self.stat(client, frame, "time") != first)
        for body in client.wait_frame().bodies:
            self.assertTrue(all(math.isfinite(value) for value in body["positions"]))


class Scenes(Building):
    def test_bodies_come_and_go_and_all_of_it_can_be_taken_back(self):
        _, client = self.begin()
        client.do(type="add", shape="bunny", matter="rubber")
        self.assertEqual(names(client), ["cube", "small", "bunny"])
        self.assertEqual(client.scene["bodies"][2]["values"]["material.youngsModulus"], 1800000)
        client.do(type="add", object="wall", at=[0, 0, -2])
        self.assertEqual(client.scene["bodies"][3]["kind"], "guided")
        frame = self.settle(client)
        self.assertLess(distance(middle(frame, 3)[::2], [0, -2]), 1e-3)
        client.do(type="duplicate", body=1)
        self.assertEqual(names(client)[4], "small 2")
        client.do(type="rename", body=4, name="twin")
        client.do(type="remove", body=0)
        self.assertEqual(names(client), ["small", "bunny", "wall", "twin"])
        self.assertEqual(client.state["undo"], 'Delete "cube"')
        seen = [names(client)]
        while client.state["undo"]:
            client.do(type="undo")
            seen.append(names(client))
        self.assertEqual(names(client), ["cube", "small"])
        self.assertEqual(len(client.scene["probes"]), 6)  # the cube's probe is there again
        while client.state["redo"]:
            client.do(type="redo")
        self.assertEqual(names(client), seen[0])
        self.assertEqual(client.ask(type="redo")["type"], "error")
        self.runs_on(client)

    def test_what_is_added_stands_on_what_is_there_and_the_others_stay_as_they_are(self):
        _, client = self.begin(BLOCK)
        client.wait_frame(lambda frame: self.stat(client, frame, "time") > 1)
        client.do(type="add", object="ball")
        frame = self.settle(client)
        self.assertGreater(self.stat(client, frame, "time"), 1)  # time goes on
        self.assertGreater(middle(frame, 1)[1], 0.3)  # above the block
        self.assertLess(distance(middle(frame, 0), [0, 0.15, 0]), 0.02)
        client.wait_frame(lambda frame: self.stat(client, frame, "time") > 2.5)
        self.assertGreater(middle(client.wait_frame(), 1)[1], 0.05)

    def test_a_body_is_moved_turned_and_made_larger(self):
        _, client = self.begin()
        client.do(type="pause", value=True)
        client.do(type="place", body=1, center=[-1, 2, 0.5])
        frame = self.settle(client)
        self.assertLess(distance(middle(frame, 1), [-1, 2, 0.5]), 1e-4)
        turn = [0, 0, math.sin(math.pi / 8), math.cos(math.pi / 8)]
        client.do(type="place", body=1, turn=turn, scale=2)
        frame = self.settle(client)
        self.assertLess(distance(middle(frame, 1), [-1, 2, 0.5]), 1e-4)
        xs = frame.bodies[1]["positions"][0::3]
        self.assertAlmostEqual(max(xs) - min(xs), 0.4 * math.sqrt(2), 3)
        client.do(type="place", body=1, center=[0, -5, 3])  # not into the ground
        frame = self.settle(client)
        self.assertGreater(min(frame.bodies[1]["positions"][1::3]), 0)
        client.do(type="undo")
        client.do(type="undo")
        frame = self.settle(client)
        self.assertLess(distance(middle(frame, 1), [-1, 2, 0.5]), 1e-4)
        xs = frame.bodies[1]["positions"][0::3]
        self.assertAlmostEqual(max(xs) - min(xs), 0.2, 3)

    def test_pins_and_settings_are_taken_back(self):
        _, client = self.begin()
        client.do(type="pin", body=0, point=0, radius=0.05)
        self.assertEqual(len(client.objects["pins"]), 1)
        client.do(type="set", path="bodies[0].material.density", value=500)
        client.do(type="set", path="gravity", value=[0, -1, 0])
        client.do(type="undo")
        client.do(type="undo")
        change = [m for m in client.messages if m["type"] == "values"][-1]
        self.assertEqual(change["path"], "bodies[0].material.density")
        client.do(type="undo")
        client.wait_frame()
        self.assertEqual(client.objects["pins"], [])
        client.do(type="redo")
        self.assertEqual(len(client.objects["pins"]), 1)
        client.do(type="add", shape="sphere")
        self.assertEqual(len(client.objects["pins"]), 1)  # it holds on

    def test_a_control_that_was_moved_is_taken_back(self):
        _, client = self.begin({"limber": 1, "bodies": [TUBE]})
        place = lambda: client.hear(lambda m: m["type"] == "controls")["bodies"][0]["controls"][1]["center"]
        first = place()
        for lift in (0.01, 0.02, 0.03):  # a drag is one change
            client.do(type="control", body=0, control=1, center=[first[0], first[1], first[2] + lift])
        self.assertIn("control", client.state["undo"])
        for kind, lift in (("view", 0.03), ("undo", 0), ("redo", 0.03)):
            client.do(type=kind)
            client.wait(lambda m: isinstance(m, dict) and m["type"] == "controls"
                        and abs(m["bodies"][0]["controls"][1]["center"][2] - first[2] - lift) < 1e-5)
        client.do(type="undo")
        self.assertIsNone(client.state["undo"])
        self.assertEqual(client.ask(type="control", body=0, control=7, center=first)["type"], "error")
        self.assertIsNone(client.state["undo"])

    def test_a_slider_that_is_dragged_is_one_change(self):
        _, client = self.begin()
        for value in range(500, 600, 10):
            client.do(type="set", path="bodies[0].material.density", value=value)
        client.do(type="undo")
        self.assertIsNone(client.state["undo"])
        self.assertIsNotNone(client.state["redo"])

    def test_an_undo_that_fails_changes_nothing(self):
        server, client = self.begin()
        self.assertEqual(server.upload("a.obj", obj_cube(0.4)), 200)
        client.do(type="load", file="a.obj")
        client.do(type="load", scene="free-fall.json")
        self.assertEqual(server.upload("a.obj", b"v 0 0 0\n"), 200)
        answer = client.ask(type="undo")
        self.assertEqual(answer["type"], "error")
        self.assertIn("a.obj", answer["message"])
        self.assertEqual(client.state["undo"], "Another scene")
        self.assertFalse(client.state["building"])
        self.runs_on(client)

    def test_matter_by_name(self):
        _, client = self.begin(BLOCK)
        known = {matter["name"] for matter in client.hello["matters"]}
        self.assertTrue({"jelly", "rubber", "foam", "flesh", "cork", "steel", "cotton"} <= known)
        for name in ("foam", "cork", "rubber", "jelly"):
            client.do(type="matter", body=0, name=name)
            matter = next(m for m in client.hello["matters"] if m["name"] == name)
            self.assertEqual(client.scene["bodies"][0]["values"]["material.density"], matter["density"])
            self.runs_on(client)
        client.do(type="matter", body=0, name="steel")
        self.assertEqual(client.scene["bodies"][0]["kind"], "rigid")
        self.assertAlmostEqual(client.scene["bodies"][0]["mass"], 7850 * 0.027, 1)
        client.do(type="matter", body=0, name="jelly")
        self.assertEqual(client.scene["bodies"][0]["kind"], "dynamic")
        self.runs_on(client)
        self.assertEqual(client.ask(type="matter", body=0, name="cotton")["type"], "error")
        self.assertEqual(client.ask(type="matter", body=0, name="gold")["type"], "error")

    def test_all_settings_go_back_and_bodies_stay_where_they_were_put(self):
        _, client = self.begin()
        client.do(type="set", path="bodies[0].material.density", value=123)
        client.do(type="set", path="gravity", value=[0, 0, 0])
        client.do(type="add", shape="sphere")
        client.do(type="set", path="bodies[2].friction", value=0.9)
        client.do(type="place", body=0, center=[3, 1, 0])
        client.do(type="reset", settings=True)
        values = [body["values"] for body in client.scene["bodies"]]
        self.assertEqual(values[0]["material.density"], 1000)
        self.assertEqual(values[2]["friction"], 0.5)
        self.assertEqual(client.scene["values"]["gravity"], [0, -9.81, 0])
        self.assertAlmostEqual(middle(self.settle(client), 0)[0], 3, 3)

    def test_settings_go_back_to_those_of_the_scene_that_is_there_again(self):
        _, client = self.begin(BLOCK)
        other = json.loads(json.dumps(BLOCK))
        other["bodies"][0].update(name="other", material={**BLOCK["bodies"][0]["material"], "youngsModulus": 40000})
        stiffness = lambda: client.scene["bodies"][0]["values"]["material.youngsModulus"]
        client.do(type="set", path="bodies[0].material.youngsModulus", value=30000)
        client.do(type="load", document=other)
        client.do(type="undo")
        client.do(type="reset", settings=True)
        self.assertEqual((names(client), stiffness()), (["block"], 20000))
        client.do(type="undo")
        client.do(type="redo")
        client.do(type="load", document=other)
        client.do(type="undo")
        client.do(type="redo")
        client.do(type="set", path="bodies[0].material.youngsModulus", value=50000)
        client.do(type="reset", settings=True)
        self.assertEqual((names(client), stiffness()), (["other"], 40000))

    def test_settings_of_copies_and_of_renamed_bodies_go_back_too(self):
        _, client = self.begin()
        client.do(type="set", path="bodies[0].material.density", value=123)
        client.do(type="duplicate", body=0)
        client.do(type="rename", body=0, name="other")
        client.do(type="reset", settings=True)
        self.assertEqual(names(client), ["other", "small", "cube 2"])
        for body in client.scene["bodies"]:
            self.assertEqual(body["values"]["material.density"], 1000, body["name"])


class Time(Building):
    def test_time_is_taken_back_and_goes_on_from_there(self):
        _, client = self.begin()
        client.wait_frame(lambda frame: self.stat(client, frame, "time") > 0.6)
        frame = self.freeze(client)
        late = middle(frame, 0)[1]
        end = self.stat(client, frame, "newest")
        self.assertEqual(self.stat(client, frame, "oldest"), 0)
        client.do(type="seek", time=0.2)
        frame = client.wait_frame(lambda frame: abs(self.stat(client, frame, "time") - 0.2) < 0.02)
        self.assertAlmostEqual(middle(frame, 0)[1], 0.7 - 9.81 * 0.04 / 2, 1)
        self.assertAlmostEqual(self.stat(client, frame, "newest"), end, 3)
        client.do(type="seek", time=end)
        frame = client.wait_frame(lambda frame: abs(self.stat(client, frame, "time") - end) < 1e-3)
        self.assertAlmostEqual(middle(frame, 0)[1], late, 4)
        client.do(type="seek", time=0)
        client.do(type="step")
        frame = client.wait_frame(lambda frame: 0 < self.stat(client, frame, "time") < 0.1)
        self.assertLess(self.stat(client, frame, "newest"), 0.1)  # another future
        client.do(type="pause", value=False)
        client.wait_frame(lambda frame: self.stat(client, frame, "time") > 0.3)

    def test_a_scene_that_is_over_begins_again_if_asked(self):
        _, client = self.begin({**SCENE, "frames": 12})
        client.do(type="loop", value=True)
        client.wait_frame(lambda frame: self.stat(client, frame, "frames") > 8)
        client.wait_frame(lambda frame: self.stat(client, frame, "frames") < 5)
        client.do(type="loop", value=False)
        client.wait_frame(lambda frame: self.stat(client, frame, "frames") > 20)


class DeadEnds(Building):
    def break_with(self, client, path, value):
        """Sets what breaks the world: it is undone and named, and the world goes on."""
        before = client.scene["bodies"][0]["values"][path]
        answer = client.ask(type="set", path=f"bodies[0].{path}", value=value)
        self.assertEqual(answer["type"], "done")
        notice = client.wait(lambda m: isinstance(m, dict) and m["type"] == "notice" and m["level"] == "error")
        self.assertIn("taken back", notice["message"])
        self.assertIn(client_label(client, path), notice["message"])
        client.do(type="view")
        values = [m for m in client.messages if m["type"] in ("values", "scene")][-1]
        now = values["value"] if values["type"] == "values" else values["bodies"][0]["values"][path]
        if now is not None:
            self.assertEqual(now, before)
        self.runs_on(client)
        return notice

    def test_a_setting_that_breaks_the_world_is_undone_and_named(self):
        _, client = self.begin(BLOCK)
        client.wait_frame(lambda frame: self.stat(client, frame, "time") > 0.3)
        where = middle(client.wait_frame(), 0)
        for path, value in (("material.youngsModulus", 1e11), ("material.stiffnessDamping", 1000)):
            notice = self.break_with(client, path, value)
            self.assertRegex(notice["message"], " = 1e\\+11 Pa made| = 1000 s made")
            self.assertLess(distance(middle(client.wait_frame(), 0), where), 0.1)
            cure = notice["actions"][0]
            for message in cure["messages"]:
                client.do(**message)
            self.assertEqual(client.scene["bodies"][0]["integrator"], "implicit-euler")
            self.runs_on(client)
            client.do(type="reset", settings=True)
            client.wait_frame(lambda frame: frame.revision == client.scene["revision"]
                              and self.stat(client, frame, "time") > 0.3)

    def test_where_nodes_step_by_themselves_the_cure_is_more_steps(self):
        levels = json.loads(json.dumps(BLOCK))
        levels["bodies"][0].update(law="neo-hookean", mesh={"kind": "levels", "edge": 0.15, "levels": 2, "structured": True},
                                   integrator={"kind": "symplectic-euler", "steps": 8})
        _, client = self.begin(levels)
        client.wait_frame(lambda frame: self.stat(client, frame, "frames") > 2)
        fits = [i["name"] for i in client.hello["integrators"] if "levels" in i["meshes"]]
        self.assertIn("symplectic-euler", fits)
        self.assertEqual(client.ask(type="set", path="bodies[0].integrator.kind", value="rk4")["type"], "error")
        self.assertNotIn("rk4", fits)
        cure = self.break_with(client, "material.youngsModulus", 1e8)["actions"][0]
        self.assertIn("as many steps as it takes", cure["label"])
        for message in cure["messages"]:
            client.do(**message)
        told = [m for m in client.messages if m["type"] == "values" and m["path"] == "bodies[0].integrator.steps"]
        self.assertIsNone(told[-1]["value"])
        self.runs_on(client)

    def test_a_mass_that_is_too_small_is_undone_too(self):
        _, client = self.begin(BLOCK)
        client.wait_frame(lambda frame: self.stat(client, frame, "time") > 0.3)
        message = self.break_with(client, "nodeMass", 1e-9)["message"]
        needed, most = re.search(r"would need (\d+) steps a frame; expected at most (\d+)", message).groups()
        self.assertGreater(int(needed), int(most), message)

    def test_a_bound_on_steps_is_named_only_where_it_was_not_kept(self):
        hasty = json.loads(json.dumps(BLOCK))
        hasty["bodies"][0]["integrator"] = {"kind": "heun", "steps": 5}
        hasty["bodies"].append({**BLOCK["bodies"][0], "name": "slow", "position": [5, 0.16, 0],
                                "integrator": {"kind": "heun", "steps": 40}})  # of which nothing is said
        _, client = self.begin(hasty)
        client.do(type="grab", hand=0, body=0, point=0, target=[1, 2, 1])
        message = client.wait(lambda m: isinstance(m, dict) and m["type"] == "notice" and m["level"] == "error")["message"]
        step = float(re.search(r"5 steps of ([\d.e-]+) s", message).group(1))
        for bound in re.findall(r"asks for steps below ([\d.e-]+) s", message):
            self.assertTrue(0 < float(bound) < step, message)

    def test_jelly_cubes_go_on(self):
        _, client = self.begin()
        client.do(type="load", scene="jelly-cube.json")
        client.wait_frame(lambda frame: frame.revision == client.scene["revision"] and self.stat(client, frame, "time") > 0.3)
        self.assertEqual([m["message"] for m in client.messages if m["type"] == "notice" and m["level"] == "error"], [])

    def test_integrators_bear_a_hand_that_holds_a_corner(self):
        kinds = [("rk4", "corotational"), ("leap-frog", "corotational"), ("heun", "corotational"), ("heun", "linear")]
        scene = json.loads(json.dumps(BLOCK))
        scene["bodies"] = [{**scene["bodies"][0], "name": f"{law} {method}", "law": law, "integrator": method,
                            "position": [3 * i, 0.16, 0]} for i, (method, law) in enumerate(kinds)]
        _, client = self.begin(scene)
        client.do(type="speed", value=4)
        for hand, body in enumerate(client.wait_frame().bodies):
            points = [body["positions"][i : i + 3] for i in range(0, len(body["positions"]), 3)]
            corner = max(range(len(points)), key=lambda i: sum(points[i]))
            far = 5 if kinds[hand][1] == "linear" else 1
            target = [at + far * pull for at, pull in zip(points[corner], (0.6, 0.8, 0.3))]
            client.do(type="grab", hand=hand, body=hand, point=corner, target=target)
        told = lambda m: isinstance(m, dict) and m["type"] == "notice" and '"linear heun" has grown to' in m["message"]
        if not any(map(told, client.messages)):
            client.wait(told)
        start = self.stat(client, client.wait_frame(), "time")
        frame = client.wait_frame(lambda frame: self.stat(client, frame, "time") > start + 1)
        notices = [m["message"] for m in client.messages if m["type"] == "notice"]
        self.assertFalse([m for m in notices if "apart" in m], notices)
        self.assertEqual(sum(tool["kind"] == test_play.HAND for tool in frame.tools), len(kinds))
        for body in frame.bodies[:3]:
            self.assertLess(max(max(body["positions"][k::3]) - min(body["positions"][k::3]) for k in range(3)), 1)

    def test_a_scene_that_cannot_hold_begins_again_and_time_can_always_go_on(self):
        broken = json.loads(json.dumps(BLOCK))
        broken["bodies"][0]["integrator"] = {"kind": "explicit-euler", "steps": 1}
        broken["bodies"][0]["material"]["youngsModulus"] = 1e7
        broken["bodies"][0]["velocity"] = [0, 0, 0]
        _, client = self.begin(broken)
        client.wait(lambda m: isinstance(m, dict) and m["type"] == "state" and m["paused"])
        for _ in range(2):
            client.do(type="pause", value=False)
            client.do(type="step")
        client.do(type="reset")
        client.do(type="set", path="bodies[0].integrator.kind", value="implicit-euler")
        self.runs_on(client)

    def test_what_breaks_when_a_change_is_taken_back_is_done_again(self):
        _, client = self.begin(BLOCK)
        client.do(type="pause", value=True)
        client.do(type="set", path="bodies[0].material.youngsModulus", value=1e11)
        client.do(type="set", path="bodies[0].integrator.kind", value="implicit-euler")
        self.runs_on(client)
        client.do(type="undo")
        notice = client.wait(lambda m: isinstance(m, dict) and m["type"] == "notice" and m["level"] == "error")
        self.assertRegex(notice["message"], "Taking back .* was done again")
        client.do(type="view")
        self.assertEqual(client.scene["bodies"][0]["integrator"], "implicit-euler")
        self.assertIsNotNone(client.state["undo"])
        self.runs_on(client)

    def test_what_comes_apart_again_and_again_has_its_settings_back(self):
        _, client = self.begin(BLOCK)
        client.do(type="pause", value=True)
        client.do(type="set", path="bodies[0].material.youngsModulus", value=1e11)
        client.do(type="duplicate", body=0)
        client.do(type="remove", body=1)  # neither this nor the copy broke it
        client.do(type="pin", body=0, point=0, radius=0.01)
        client.do(type="pause", value=False)
        said = client.wait(lambda m: isinstance(m, dict) and m["type"] == "notice" and "as they came" in m["message"])
        self.assertIn('Settings of "block" are back', said["message"])
        client.do(type="view")
        self.assertEqual(client.scene["bodies"][0]["values"]["material.youngsModulus"], 20000)
        self.runs_on(client)

    def test_a_setting_that_makes_frames_too_long_is_taken_back(self):
        server = self.serve(self.scene_file(SLOW), "--patience", "0.4")
        client = self.client(server)
        client.start()
        client.wait_frame(lambda frame: self.stat(client, frame, "frames") > 2)
        message = self.break_with(client, "material.youngsModulus", 5e6)["message"]
        self.assertRegex(message, r"made frames take too long.*given up after .* s; body 'block' takes most steps, \d{4}")

    def test_who_waits_for_a_long_frame_is_heard_and_the_frame_comes_all_the_same(self):
        stiff = json.loads(json.dumps(SLOW))
        stiff["bodies"][0]["material"]["youngsModulus"] = 2e6
        _, alone = self.begin(stiff)
        times = [self.stat(alone, alone.wait_frame(lambda f: self.stat(alone, f, "frames") == n), "total") for n in (4, 5, 6)]
        fell = middle(alone.wait_frame(lambda f: self.stat(alone, f, "frames") == 7), 0)[1]
        alone.close()
        server = self.serve(self.scene_file(stiff), "--patience", str(max(0.05, 4e-3 * sorted(times)[1])))
        client = self.client(server)
        client.start()
        number = 0
        while number < 7:  # somebody always wants something
            for speed in (1, 2):
                client.do(type="speed", value=speed)
            frame = client.wait_frame()
            number = self.stat(client, frame, "frames")
        client.do(type="seek", time=7 / 60)
        frame = client.wait_frame(lambda f: self.stat(client, f, "frames") == 7)
        self.assertAlmostEqual(middle(frame, 0)[1], fell, 6)
        self.assertEqual([m for m in client.messages if m["type"] == "notice" and m["level"] == "error"], [])

    def test_growth_and_collapse_are_told_with_a_cure(self):
        turning = json.loads(json.dumps(BLOCK))
        turning.update(gravity=[0, 0, 0], ground=None)
        del turning["ground"]
        turning["bodies"][0].update(law="linear", integrator="implicit-euler", angularVelocity=[0, 0, 30])
        flat = json.loads(json.dumps(BLOCK))
        flat["gravity"] = [0, -200, 0]
        flat["bodies"][0].update(law="springs", integrator="implicit-euler")
        flat["bodies"][0]["material"]["youngsModulus"] = 1000
        for scene, words in ((turning, "has grown to"), (flat, "has collapsed to")):
            _, client = self.begin(scene)
            notice = client.wait(lambda m: isinstance(m, dict) and m["type"] == "notice" and words in m["message"])
            self.assertEqual(notice["level"], "warning")
            for message in notice["actions"][0]["messages"]:
                client.do(**message)
            self.assertEqual(client.scene["bodies"][0]["law"], "corotational")
            client.close()

    def test_a_hand_that_lets_go_after_a_new_beginning_lets_go(self):
        _, client = self.begin()
        client.do(type="grab", hand=3, body=0, point=0, target=[0, 2, 0])
        client.do(type="reset")
        client.do(type="release", hand=3)
        frame = client.wait_frame(lambda frame: frame.revision == client.scene["revision"])
        client.do(type="view")
        frame = client.wait_frame()
        self.assertFalse(any(tool["kind"] == test_play.HAND for tool in frame.tools))

    def test_a_hand_holds_its_body_when_others_come_and_go(self):
        _, client = self.begin()
        client.do(type="grab", hand=0, body=1, point=0, target=[1, 1, 0])
        client.do(type="remove", body=0)
        frame = self.settle(client)
        hand = next(tool for tool in frame.tools if tool["kind"] == test_play.HAND)
        self.assertEqual(hand["body"], 0)
        client.do(type="undo")
        client.do(type="remove", body=1)
        self.settle(client)
        self.assertFalse(any(tool["kind"] == test_play.HAND for tool in client.wait_frame().tools))

    def test_what_is_out_of_all_measure_is_refused_with_the_number(self):
        _, client = self.begin(BLOCK)
        for path, value in (("mesh.edge", 0.001), ("shape.scale", 50), ("shape.edge", 0.00005)):
            start = time.monotonic()
            answer = client.ask(type="set", path=f"bodies[0].{path}", value=value)
            self.assertEqual(answer["type"], "error", path)
            self.assertIn("expected at most", answer["message"])
            self.assertLess(time.monotonic() - start, 5)
        self.runs_on(client)

    def test_building_can_be_cancelled(self):
        server, client = self.begin(BLOCK)
        other = self.client(server)
        other.start()
        client.last_id += 1
        client.send(id=client.last_id, type="set", path="bodies[0].mesh.edge", value=0.0068)
        other.wait(lambda m: isinstance(m, dict) and m["type"] == "state" and m["building"])
        other.send(type="cancel")
        answer = client.wait(lambda m: isinstance(m, dict) and m.get("id") == client.last_id)
        self.assertEqual(answer["type"], "error")
        self.assertIn("cancelled", answer["message"])
        self.runs_on(client)


def client_label(client, path):
    return next(p["label"] for p in client.hello["properties"] if p["path"] == path and p["body"])


class Whole(Building):
    def test_a_scene_carries_its_files(self):
        server, client = self.begin()
        self.assertEqual(server.upload("paint.mtl", b"newmtl paint\nmap_Kd tint.png\n"), 200)
        self.assertEqual(server.upload("tint.png", test_play.png(2, 2, b"\1\2\3" * 4)), 200)
        self.assertEqual(server.upload("crate.obj", obj_cube(0.3, "paint.mtl")), 200)
        client.do(type="add", file="crate.obj")
        status, _, whole = server.get("/download/scene.json")
        self.assertEqual(status, 200)
        document = json.loads(whole)
        self.assertEqual(sorted(document["files"]), ["crate.obj", "paint.mtl", "tint.png"])
        self.assertEqual(base64.b64decode(document["files"]["crate.obj"]), obj_cube(0.3, "paint.mtl"))
        alone = self.scene_file(document)  # in a folder of its own
        film = os.path.join(os.path.dirname(alone), "film.glb")
        done = subprocess.run([test_play.LIMBER, "run", alone, "--frames", "3", "-o", film], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(film, "rb") as file:
            self.assertIn(b"crate", file.read())
        other, second = self.begin(document)  # limber play opens it
        self.assertEqual(names(second), ["cube", "small", "crate"])
        self.assertIsNotNone(second.scene["bodies"][2]["materials"][0]["texture"])
        self.assertNotIn("files", second.scene["document"])
        self.assertEqual(other.upload("whole.json", whole), 200)
        second.do(type="load", file="whole.json")
        self.assertEqual(names(second), ["cube", "small", "crate"])

    def test_a_scene_of_a_gigabyte_is_refused_before_it_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            big = os.path.join(folder, "big.json")
            with open(big, "wb") as file:
                file.write(b'{"limber":1,"files":{"a.obj":"')
                file.truncate(1400 << 20)  # holds no block of the disk
            for command in (["run", big], ["play", "--no-browser", big]):
                done = subprocess.run([test_play.LIMBER, *command], capture_output=True, text=True, timeout=60)
                self.assertNotEqual(done.returncode, 0)
                self.assertRegex(done.stderr, "big.json: holds 1468006400 bytes; expected at most")
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 1 << 20)  # kB

    def test_files_that_belong_to_nobody_do_no_harm(self):
        server, client = self.begin()
        for name in ("paint.mtl", "tint.png", "letter.txt"):
            self.assertEqual(server.upload(name, b"of nobody"), 200)
        for name in ("paint.mtl", "letter.txt", "../crate.obj", "/etc/passwd", "crate.obj"):
            for kind in ("load", "add"):
                answer = client.ask(type=kind, file=name)
                self.assertEqual(answer["type"], "error", name)
                self.assertNotIn(self.temporary, answer["message"])
        _, _, whole = server.get("/download/scene.json")
        self.assertEqual(json.loads(whole).get("files", {}), {}, "what no body names is not carried along")
        self.runs_on(client)

    def test_bad_files_within_a_scene_are_refused(self):
        _, client = self.begin()
        document = {**SCENE, "probes": [], "bodies": [{"name": "b", "shape": {"file": "a.obj"}}]}
        for files, words in (({"../a.obj": "AAAA"}, "plain file name"), ({"a.obj": "!!"}, "base64"),
                             ({"a.obj": 5}, "base64"), ({"a.obj": "AAAA"}, "a.obj")):
            answer = client.ask(type="load", document={**document, "files": files})
            self.assertEqual(answer["type"], "error")
            self.assertIn(words, answer["message"])
        self.runs_on(client)


if __name__ == "__main__":
    test_play.LIMBER = sys.argv.pop(1)
    unittest.main(verbosity=2)
