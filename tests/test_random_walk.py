"""Random actions of several people on one world: whatever they do, it goes on, and what they are sent makes sense.
Usage: test_random_walk.py LIMBER [ACTIONS [SEED]]; web/test/browser/wandering.mjs does the same with a page's controls."""
import json
import math
import random
import sys
import time
import unittest

import test_play
from play_client import Client, Closed, Frame
from test_play import TUBE, Play, obj_cube

ACTIONS, SEED = 1800, 20
STRETCH = 150  # actions on one scene

SOFT = {
    "limber": 1,
    "name": "walk",
    "ground": {},
    "bodies": [
        {"name": "jelly", "shape": {"kind": "box", "size": 0.3, "edge": 0.15}, "law": "corotational",
         "mesh": {"kind": "tet-grid", "edge": 0.15}, "position": [0, 0.4, 0],
         "material": {"youngsModulus": 20000, "poissonsRatio": 0.4, "stiffnessDamping": 0.002}},
        {"name": "springs", "shape": {"kind": "box", "size": 0.2, "edge": 0.1}, "mesh": {"kind": "tet-grid", "edge": 0.1},
         "position": [0.6, 0.3, 0]},
        {"name": "cloth", "shape": {"kind": "cloth", "size": [0.4, 0.01, 0.4], "edge": 0.1}, "mesh": {"kind": "cloth"},
         "position": [-0.6, 0.5, 0]},
        {"name": "rigid", "kind": "rigid", "shape": {"kind": "sphere", "radius": 0.1, "edge": 0.05}, "position": [0, 0.9, 0]},
        TUBE,
    ],
}


# Every other kind of body there is, as small as it can be.
KINDS = {
    "limber": 1,
    "name": "kinds",
    "ground": {},
    "regions": {"under": {"halfSpace": {"point": [0, 0.02, 0], "normal": [0, 1, 0]}}},
    "bodies": [
        {"name": "voxels", "shape": {"kind": "sphere", "radius": 0.15, "edge": 0.08}, "law": "corotational",
         "mesh": {"kind": "voxels", "depth": 3, "mechanicalDepth": 1}, "position": [0, 0.4, 0],
         "material": {"youngsModulus": 20000, "stiffnessDamping": 0.005}, "integrator": "implicit-euler"},
        {"name": "levels", "shape": {"kind": "box", "size": 0.3, "edge": 0.1}, "law": "neo-hookean",
         "mesh": {"kind": "levels", "edge": 0.15, "levels": 2, "structured": True}, "position": [0.6, 0.2, 0],
         "material": {"youngsModulus": 50000, "stiffnessDamping": 0.001, "massDamping": 3},
         "detail": {"split": 0.003, "merge": 0.0003}},
        TUBE,
        {"name": "organ", "kind": "compliant", "shape": {"kind": "sphere", "radius": 0.1, "edge": 0.06},
         "material": {"youngsModulus": 20000, "poissonsRatio": 0.45}, "compliant": {"held": ["under"]},
         "position": [-0.6, 0.1, 0]},
        {"name": "rigid", "kind": "rigid", "shape": {"kind": "box", "size": 0.1}, "position": [0, 0.9, 0]},
        {"name": "wall", "kind": "rigid", "guided": True, "shape": {"kind": "box", "size": [0.1, 0.5, 0.5]}, "position": [1.2, 0.25, 0]},
    ],
}


def finite(value):
    """Whether all numbers in a message are."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(finite(item) for item in value.values())
    return all(finite(item) for item in value) if isinstance(value, (list, tuple)) else True


def kind_of(body):
    """Bodies that the engine moves in the same way."""
    return body["mesh"] if body["mesh"] in ("cloth", "levels", "voxels") else body["kind"]


class Walker(Client):
    """Looks at all that it is sent."""

    def take(self):
        message = super().take()
        if isinstance(message, (Frame, dict)):
            numbers = vars(message) if isinstance(message, Frame) else message
            assert finite(numbers), [name for name in numbers if not finite(numbers[name])]
        return message


class RandomWalk(Play):
    def walker(self, server):
        walker = Walker(server)
        self.addCleanup(walker.close)
        walker.start()
        return walker

    def shuffled(self, rng, client):
        """Every live property with every choice, or both ends of its range and a place between them."""
        deck = []
        for prop in (one for one in client.hello["properties"] if one["live"]):
            if prop["type"] == "boolean":
                values = [False, True]
            elif prop["type"] == "choice":
                values = [choice["name"] for choice in prop["choices"]]
            else:
                values = [self.value(prop, share) for share in (0, rng.random(), 1)]
                values += [0] if "zero" in prop else []
            deck += [(prop, value) for value in values + ([None] if prop["optional"] else [])]
        rng.shuffle(deck)
        return deck

    def value(self, prop, share):
        low, high = prop["minimum"], prop["maximum"]
        number = low * (high / low) ** share if prop["scale"] == "log" else low + share * (high - low)
        if prop["type"] == "integer":
            return round(number)
        return [number, -number / 2, 0] if prop["type"] == "vector" else number

    def setting(self, rng, client):
        """The next of the deck that some body has; it is shuffled anew when nothing is left for those that are there."""
        bodies = client.scene["bodies"]
        for again in range(2):
            for i, (prop, value) in enumerate(self.deck):
                owners = [k for k, body in enumerate(bodies) if prop["path"] in body["values"]] if prop["body"] else [None]
                if owners:
                    del self.deck[i]
                    body = rng.choice(owners)
                    self.known.add(prop["path"])
                    path = f"bodies[{body}].{prop['path']}" if prop["body"] else prop["path"]
                    return {"type": "set", "path": path, "value": value}
            self.deck = self.shuffled(rng, client)
        raise AssertionError("nothing can be set")

    def control(self, rng, client, place):
        """Of a precomputed body, if there is one; now and then one that is not there."""
        tubes = [i for i, body in enumerate(client.scene["bodies"]) if body["kind"] == "elastostatic"]
        message = {"type": "control", "body": rng.choice(tubes or [0]), "control": rng.choice((0, 1, 1, 1, 2))}
        return {**message, "free": True} if rng.random() < 0.2 else {**message, "center": place}

    def action(self, rng, client):
        bodies = client.scene["bodies"]
        body = rng.randrange(len(bodies))
        point = rng.randrange(bodies[body]["points"])
        place = [rng.uniform(-2, 2), rng.uniform(-1, 3), rng.uniform(-2, 2)]
        few = len(bodies) < 7
        return rng.choices([
            lambda: self.setting(rng, client),
            lambda: {"type": "grab", "hand": rng.randrange(10), "body": body, "point": point, "target": place},
            lambda: {"type": "moveGrab", "hand": rng.randrange(10), "target": place},
            lambda: {"type": "release", "hand": rng.randrange(10)},
            lambda: {"type": "pin", "body": body, "point": point, "radius": 0.05},
            lambda: {"type": "tool", "kind": rng.choice(["sphere", "box", "capsule", "mesh", None]), "position": place,
                     "radius": rng.choice([0.02, 0.1, 0.4])},
            lambda: rng.choice([{"type": "undo"}, {"type": "redo"}]),
            lambda: {"type": "seek", "time": rng.uniform(0, 5)},
            lambda: {"type": "pause", "value": rng.random() < 0.3},
            lambda: {"type": "reset", "settings": rng.random() < 0.5},
            lambda: {"type": "matter", "body": body, "name": rng.choice(client.hello["matters"])["name"]},
            lambda: {"type": "place", "body": body, "center": place, "scale": rng.choice([1, 1, 0.8, 1.25])},
            lambda: {"type": "add", "object": rng.choice(["ball", "block", "ramp"])} if few else {"type": "remove", "body": body},
            lambda: {"type": "duplicate", "body": body} if few else {"type": "remove", "body": body},
            lambda: {"type": "remove", "body": body},
            lambda: {"type": "view", "field": rng.choice([f["name"] for f in client.hello["fields"]] + [None]),
                     "mesh": rng.random() < 0.5},
            lambda: {"type": "speed", "value": rng.choice([0.1, 1, 4])},
            lambda: self.control(rng, client, place),
        ], weights=[30, 8, 10, 6, 2, 5, 8, 4, 6, 2, 2, 2, 1, 1, 2, 3, 1, 3])[0]()

    def test_nothing_is_a_dead_end(self):
        rng = random.Random(SEED)
        server = self.serve(self.scene_file(SOFT))
        clients = [self.walker(server) for _ in range(2)]
        self.assertEqual(server.upload("crate.obj", obj_cube(0.3)), 200)
        refused = asked = left = 0
        slowest = 0, "nothing"
        self.deck, self.known, owned, kinds = [], set(), set(), set()
        for number in range(ACTIONS):
            client = rng.choice(clients)
            waits = rng.random() < 0.25 or number % 100 == 99  # the others come in one go, as people's do
            begun = time.monotonic()
            try:
                if number % STRETCH == 0:  # by turns one scene and the other
                    client.do(type="load", document=KINDS if number // STRETCH % 2 else SOFT)
                    kinds |= {kind_of(body) for body in client.scene["bodies"]}
                    owned |= {path for body in client.scene["bodies"] for path in body["values"]}
                if number % 20 == 0:  # all read, now and then
                    for one in clients:
                        one.do(type="view")
                message = self.action(rng, client)
                if not waits:
                    client.send(**message)
                    continue
                refused += client.ask(**message)["type"] == "error"
            except (ConnectionError, Closed):  # who did not read for long was hung up on; a page comes back then
                left += 1
                clients[clients.index(client)] = client = self.walker(server)
                continue
            asked += 1
            slowest = max(slowest, (time.monotonic() - begun, json.dumps(message)[:100]))
            for one in clients:
                del one.messages[:-20]
            if number % 100 == 99:
                self.assertGoesOn(client, message)
        self.assertLess(refused, asked / 2)
        self.assertLess(left, 5)
        self.assertIsNone(server.process.poll())
        self.assertEqual(kinds, {"dynamic", "cloth", "voxels", "levels", "rigid", "guided", "elastostatic", "compliant"})
        live = {prop["path"] for prop in clients[0].hello["properties"] if prop["live"]}
        if ACTIONS >= 1800:
            self.assertEqual({path for path in owned if path in live} - self.known, set())
        if ACTIONS > 1800:
            print(f"seed {SEED}: the slowest of {asked} answers took {slowest[0]:.1f} s: {slowest[1]}; {refused} refused")

    def assertGoesOn(self, client, message):
        client.do(type="speed", value=1)
        for _ in range(5):  # a world that came apart three times waits at its beginning
            client.do(type="pause", value=False)
            before = self.stat(client, client.wait_frame(), "frames")
            try:
                client.wait(lambda m: isinstance(m, Frame) and self.stat(client, m, "frames") != before, seconds=20)
                return
            except AssertionError:
                client.do(type="reset", settings=True)
        said = [one for one in client.messages if one["type"] in ("notice", "error")][-5:]
        self.fail(f"time does not go on after {json.dumps(message)[:200]}: {said}, {client.state}, "
                  f"{json.dumps(client.scene['document'])}")


if __name__ == "__main__":
    test_play.LIMBER = sys.argv.pop(1)
    ACTIONS = int(sys.argv.pop(1)) if len(sys.argv) > 1 else ACTIONS
    SEED = int(sys.argv.pop(1)) if len(sys.argv) > 1 else SEED
    unittest.main()
