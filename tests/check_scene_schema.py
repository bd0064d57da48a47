"""The schema and the reader of scenes agree: check_scene_schema.py TRY_SCENES SOURCE_FOLDER

Every scene of the project passes both. A scene that uses every key is then changed in every place: what the schema
refuses the reader must refuse, and what only the reader refuses must be something that a schema cannot say.
"""
import copy
import glob
import json
import os
import re
import subprocess
import sys

import jsonschema

EVERYTHING = {
    "$schema": "x", "limber": 1, "name": "n", "description": "d", "frameRate": 30, "budget": 0.01, "frames": 5, "files": {"a.obj": "dg=="},
    "gravity": [0, -9.81, 0], "wind": [1, 0, 0], "gust": {"amplitude": [1, 0, 1], "frequency": 0.5},
    "ground": {"height": 0.5, "friction": 0.3, "restitution": 0.1, "thickness": 0.01},
    "regions": {
        "b": {"box": {"lower": [-1, -1, -1], "upper": [1, 1, 1]}, "part": "surface"},
        "s": {"sphere": {"center": [0, 0, 0], "radius": 1}, "part": "nodes"},
        "h": {"halfSpace": {"point": [0, 0, 0], "normal": [0, 1, 0]}},
        "a": "all", "t": {"all": True}, "n": {"nodes": [0, 7]}, "m": {"meshRegion": 3}, "g": {"group": "a group"},
    },
    "bodies": [
        {"name": "one", "shape": {"kind": "box", "size": [1, 1, 1], "edge": 0.1, "scale": 2, "color": "#12aB9f",
                                  "roughness": 0.5},
         "mesh": {"kind": "tet-grid", "edge": 0.1},
         "material": {"density": 900, "youngsModulus": 1000, "poissonsRatio": 0.2, "stiffnessDamping": 0.1,
                      "massDamping": 1},
         "law": {"kind": "springs", "form": "power", "power": 5, "springStiffness": 5, "springDamping": 1,
                 "dampingForm": "last-length"},
         "equilibrium": False,
         "penalty": {"volume": 1, "area": 2, "surface": 3},
         "pointDamping": {"form": "newton", "coefficient": 0.1}, "windDrag": 2, "selfContact": "on",
         "integrator": {"kind": "symplectic-euler", "steps": 2, "tolerance": 0.01, "iterationLimit": 50, "linearisations": 2, "longer": 3, "compensate": False}, "nodeMass": 0.5, "position": [0, 1, 0],
         "rotation": {"axis": [0, 1, 0], "degrees": 30}, "velocity": [1, 0, 0], "angularVelocity": [0, 0, 1]},
        {"name": "two", "shape": {"file": "a.obj", "fit": 1, "edge": 0.1, "flip": True, "scale": [1, 2, 3]},
         "mesh": {"kind": "cloth", "thickness": 0.01, "bend": 0.5, "prestrain": 0.1}, "law": {"kind": "springs",
         "form": "quadratic"}},
        {"name": "three", "shape": {"kind": "tube", "radius": 1, "innerRadius": 0.5, "length": 2},
         "mesh": "tet-grid", "law": "springs", "integrator": "symplectic-euler"},
        {"name": "four", "shape": {"kind": "sphere", "radius": 1},
         "mesh": {"kind": "layered", "thickness": 0.01, "prestrain": 0.1}},
        {"name": "five", "shape": {"kind": "torus", "radius": 1, "innerRadius": 0.5},
         "law": {"kind": "linear", "boundary": "paper", "incompressible": "none"}},
        {"name": "six", "shape": {"kind": "capsule", "radius": 1, "length": 1}, "law": {"kind": "green"},
         "zones": [{"region": "a", "meshRegion": 3, "density": 900, "youngsModulus": 1000, "poissonsRatio": 0.2}]},
        {"name": "seven", "shape": {"kind": "cloth", "size": 2}, "mesh": "cloth",
         "equilibrium": {"tolerance": 1e-4, "iterations": 50}},
        {"name": "eight", "shape": {"kind": "box"}, "mesh": {"kind": "tets", "edge": 0.1, "relax": True}},
        {"name": "nine", "shape": {"kind": "box"}, "mesh": {"kind": "structured", "edge": 0.1, "cells": [4, 0, 2]}},
        {"name": "level files", "mesh": {"kind": "levels", "files": ["coarse.msh", "fine.msh"], "scale": 0.5}},
        {"name": "levels", "shape": {"kind": "box"},
         "mesh": {"kind": "levels", "edge": 0.2, "levels": 3, "relax": True, "structured": False},
         "detail": {"split": 0.01, "merge": 0.001, "start": 1, "coupling": "paper", "spacing": "closest",
                    "uniformSteps": True, "budget": 1000, "regions": [{"region": "a", "level": 1}]}},
        {"name": "ten", "mesh": {"kind": "file", "file": "a.msh", "scale": 0.001}},
        {"name": "sixteen", "shape": {"kind": "box"}, "law": {"kind": "corotational", "rotation": "mean-edges"},
         "mesh": {"kind": "voxels", "depth": 5, "mechanicalDepth": 3, "elements": 0, "fill": "half",
                  "stiffness": "condensed", "inside": "flood", "sheetThickness": 0.01, "keepVoids": True,
                  "splitEdges": True, "joinParts": False}},
        {"name": "seventeen", "mesh": {"kind": "voxels", "image": "a.nrrd", "scale": 0.001}},
        {"name": "eleven", "kind": "rigid", "shape": {"kind": "sphere"}, "material": {"density": 7800}, "friction": 0.2,
         "restitution": 0.5, "thickness": 0.001, "collision": "sphere", "guided": False, "velocity": [1, 0, 0],
         "angularVelocity": [0, 0, 1]},
        {"name": "twelve", "kind": "rigid", "guided": True, "shape": {"kind": "box"}, "collision": "mesh",
         "position": [0, 5, 0], "rotation": {"axis": [0, 1, 0], "degrees": 30}, "smooth": True,
         "path": [{"time": 1, "position": [0, 0, 0], "rotation": {"axis": [1, 0, 0], "degrees": 5}}]},
        {"name": "thirteen", "kind": "rigid", "guided": True, "shape": {"kind": "box"},
         "keys": [{"time": 1, "shape": {"kind": "box", "size": 2}}]},
        {"name": "fourteen", "kind": "dynamic", "shape": {"kind": "box"}},
        {"name": "precomputed", "kind": "elastostatic", "material": {"density": 900}, "friction": 0.1,
         "position": [0, 1, 0], "rotation": {"axis": [0, 1, 0], "degrees": 30},
         "elastostatic": {
             "tube": {"length": 1, "outerDiameter": 0.1, "innerDiameter": 0.05, "controlWidth": 0.2, "curvature": 0.5,
                      "torsion": 0.1, "axial": 9, "around": 6, "radial": 1, "solid": True},
             "controls": [{"name": "start", "fixed": True},
                          {"name": "end", "keys": [{"time": 1, "translation": [0, 0, 0], "scale": 2,
                                                    "rotation": {"axis": [0, 1, 0], "degrees": 5}}]},
                          {"name": "middle", "region": "b", "force": [1, 0, 0], "torque": [1, 0, 0]}],
             "loads": [{"name": "p", "region": "b", "force": [1, 0, 0], "pressure": 3, "share": 0.5}],
             "precision": "float16", "fields": ["strain", "stress"], "solver": "cg",
             "limits": {"strain": 0.1, "stretch": 0.2, "degrees": 30}}},
        {"name": "opened", "kind": "elastostatic",
         "elastostatic": {"file": "a.lbe", "controls": [{"name": "end"}], "loads": [{"name": "p", "share": 2}]}},
        {"name": "meshed", "kind": "elastostatic", "shape": {"kind": "box"}, "mesh": "tets",
         "zones": [{"region": "a", "youngsModulus": 1000}],
         "elastostatic": {"controls": [{"name": "c", "meshRegion": 3}]}},
        {"name": "touched", "kind": "compliant", "shape": {"kind": "sphere"}, "material": {"density": 900},
         "position": [0, 9, 0], "rotation": {"axis": [0, 1, 0], "degrees": 30}, "friction": 0.1,
         "compliant": {"held": ["a", "b"], "method": "boundary-elements", "scheme": "layer", "layer": 0.01}},
        {"name": "touched by elements", "kind": "compliant", "shape": {"kind": "box"}, "mesh": "tets",
         "zones": [{"region": "a", "youngsModulus": 1000}],
         "compliant": {"held": ["a"], "method": "finite-elements", "solver": "cg", "scheme": "exact"}},
        {"name": "touched and opened", "kind": "compliant", "compliant": {"file": "a.lbr"}},
    ],
    "pins": [
        {"name": "p", "body": "one", "region": "a", "axes": "xz", "smooth": True,
         "path": [{"time": 1, "offset": [0, 0, 0]}]},
        {"name": "q", "body": "one", "region": "a", "line": [0, 1, 0]},
        {"name": "r", "body": "one", "region": "a", "plane": [0, 1, 0]},
        {"name": "u", "body": "one", "region": "b", "carriers": True},
    ],
    "muscles": [
        {"name": "m", "body": "one", "region": "s", "direction": [1, 0, 0], "amplitude": 0.2, "frequency": 2,
         "phase": 90, "start": 1},
        {"name": "k", "body": "one", "region": "s", "lengths": [{"time": 1, "length": 0.5}], "smooth": True},
    ],
    "loads": [{"name": "l", "body": "one", "region": "b", "force": [1, 0, 0], "pressure": 5, "moment": [0, 1, 0],
               "traction": [0, 0, 2]}],
    "tools": [
        {"name": "t", "kind": "sphere", "radius": 1, "position": [0, 3, 0], "smooth": True,
         "path": [{"time": 1, "position": [0, 0, 0], "rotation": {"axis": [1, 0, 0], "degrees": 5}}]},
        {"name": "w", "kind": "half-space", "position": [0, -3, 0], "rotation": {"axis": [1, 0, 0], "degrees": 5}},
        {"name": "x", "kind": "capsule", "radius": 1, "length": 2, "position": [0, -3, 0], "friction": 0.1,
         "restitution": 0.2, "thickness": 0.01},
        {"name": "y", "kind": "box", "size": [1, 2, 3], "position": [0, -3, 0]},
        {"name": "z", "kind": "mesh", "shape": {"kind": "torus"}, "position": [0, -3, 0],
         "keys": [{"time": 1, "shape": {"kind": "torus", "radius": 2}}]},
    ],
    "attachments": [
        {"name": "n", "body": "one", "point": [0, 0, 0], "to": "two", "toPoint": [0, 0, 0], "keepDistance": False,
         "hard": False, "stiffness": 5, "damping": 1},
        {"name": "o", "body": "one", "point": [0, 0, 0], "to": "t", "hard": True},
    ],
    "grabs": [{"name": "h", "body": "one", "at": [0, 0, 0], "hard": True}, {"name": "g", "body": "one", "at": [0, 0, 0], "target": [1, 1, 1], "stiffness": 5, "damping": 1,
               "start": 2, "smooth": False, "path": [{"time": 1, "position": [0, 0, 0]}]}],
    "events": [
        {"time": 1, "release": "p"},
        {"time": 1, "load": "l", "force": [0, 0, 0], "pressure": 5, "moment": [0, 1, 0], "traction": [0, 0, 2], "over": 1},
        {"time": 2, "gravity": [0, 0, 0], "over": 1},
        {"time": 2, "wind": [0, 0, 0], "over": 1},
        {"time": 3, "pin": "p", "path": [{"time": 1, "offset": [0, 0, 0]}], "smooth": True},
        {"time": 3, "body": "twelve", "path": [{"time": 1, "position": [0, 0, 0]}], "smooth": True},
        {"time": 3, "tool": "t", "path": [{"time": 1, "position": [0, 0, 0]}], "smooth": True},
        {"time": 4, "grab": "g", "path": [{"time": 1, "position": [0, 0, 0]}], "smooth": True},
    ],
    "probes": [
        {"name": "c", "what": "position", "body": "one", "point": [0, 0, 0]},
        {"name": "d", "what": "displacement", "body": "one", "region": "b"},
        {"name": "e", "what": "energy", "body": "one"},
        {"name": "f", "what": "force", "pin": "p"},
        {"name": "i", "what": "force", "tool": "t"},
        {"name": "j", "what": "force", "grab": "g"},
        {"name": "k", "what": "force", "attachment": "n"},
        {"name": "l", "what": "force", "body": "one"},
        {"name": "m", "what": "torque", "tool": "t"},
        {"name": "n", "what": "pose", "body": "eleven"},
        {"name": "o", "what": "angular-velocity", "body": "eleven"},
        {"name": "p", "what": "contact-pressure", "body": "one", "region": "b"},
        {"name": "q", "what": "violation", "attachment": "n"},
        {"name": "s", "what": "solver", "body": "one"},
        {"name": "t", "what": "rotation", "body": "one", "region": "b"},
        {"name": "u", "what": "equilibrium", "body": "seven"},
    ],
    "record": {"bodies": ["one"], "every": 2},
}

VALUES = [None, True, "zz", -1, 0, 0.5, 3, 1e15, [], {}, [0, 0, 0]]

# What a schema cannot say.
BEYOND_SCHEMA = re.compile(
    r"expected one of the |but the scene has no |is none of the |has too|of the waypoint before|has no length|"
    r"is below \"lower\"|acts on a surface|which is a surface|half of the|is on the volume|is given twice|has no \"(position|target)\"|"
    r"the key before|the body itself|which is soft|which is of nodes|does not begin in equilibrium|is guided, as|for surfaces|not guided; only|which is rigid|which say what its nodes are|"
    r"expected less than \"split\"")


def places(value, path=()):
    """Every place in a document, the deepest last."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, path + (key,))


def at(document, path):
    for key in path:
        document = document[key]
    return document


def changed(document):
    """Every change of one place."""
    for path in places(document):
        if isinstance(at(document, path), dict):
            other = copy.deepcopy(document)
            at(other, path)["zzqq"] = 1
            yield path + ("zzqq",), other
        if path:
            other = copy.deepcopy(document)
            del at(other, path[:-1])[path[-1]]
            yield path, other
            for value in VALUES:
                other = copy.deepcopy(document)
                at(other, path[:-1])[path[-1]] = value
                yield path, other


def around(document, path):
    """The document without what lies far from a change: the schema judges that by itself, and faster."""
    small = {"limber": 1, "bodies": document.get("bodies", 0), path[0]: document.get(path[0], 0)}
    if path[0] not in document or not isinstance(small["bodies"], list):
        return document
    if len(path) > 2 and isinstance(small[path[0]], list):
        small[path[0]] = [small[path[0]][path[1]]]
    if path[0] != "bodies":
        small["bodies"] = small["bodies"][:1]
    return small


def property_names(schema):
    names = set()
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            names |= set(schema["properties"])
        for value in schema.values():
            names |= property_names(value)
    elif isinstance(schema, list):
        for value in schema:
            names |= property_names(value)
    return names


def words(schema):
    """Every word that some value may be."""
    found = set()
    if isinstance(schema, dict):
        listed = schema.get("enum", [])
        found |= set(word for word in listed + [schema.get("const")] if isinstance(word, str))
        for value in schema.values():
            found |= words(value)
    elif isinstance(schema, list):
        for value in schema:
            found |= words(value)
    return found


def keys_of(value):
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    return set().union(*map(keys_of, value)) if isinstance(value, list) else set()


def main():
    program, source = sys.argv[1:]
    failures = []

    def read_all(documents):
        text = "".join(json.dumps(document) + "\n" for document in documents)
        return subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout.splitlines()

    with open(os.path.join(source, "docs", "scene.schema.json")) as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)

    good = {"everything": EVERYTHING}
    for path in sorted(glob.glob(os.path.join(source, "scenes", "*.json"))):
        with open(path) as file:
            good[os.path.basename(path)] = json.load(file)
    for (name, document), verdict in zip(good.items(), read_all(good.values())):
        for error in validator.iter_errors(document):
            failures.append(f"{name}: the schema says: {error.message}")
        if verdict != "ok":
            failures.append(f"{name}: the reader says: {verdict}")
    unused = property_names(schema) - keys_of(EVERYTHING)
    if unused:
        failures.append(f"the scene of this test does not use: {sorted(unused)}")

    cases = list(changed(EVERYTHING))
    known_to_reader, words_of_reader = set(), set()
    for (path, document), verdict in zip(cases, read_all(document for _, document in cases)):
        place = "/".join(map(str, path))
        valid = validator.is_valid(around(document, path))
        if not valid and verdict == "ok":
            failures.append(f"{place}: {str(at(document, path[:-1]))[:120]}: refused by the schema only")
        if valid and verdict != "ok" and not BEYOND_SCHEMA.search(verdict):
            failures.append(f"{place}: refused by the reader only: {verdict}")
        listed = re.search(r'unknown key "zzqq"; expected (.*)', verdict)
        choices = re.search(r'is "zz"; expected ("[^;]*)', verdict)
        words_of_reader |= set(re.findall(r'"([^"]*)"', choices.group(1))) if choices else set()
        known_to_reader |= set(re.findall(r'"([^"]*)"', listed.group(1))) if listed else set()
    unknown = words_of_reader - words(schema)
    if unknown:
        failures.append(f"the reader knows words that the schema lacks: {sorted(unknown)}")
    missing = known_to_reader - property_names(schema)
    if missing:
        failures.append(f"the reader knows keys that the schema lacks: {sorted(missing)}")

    for failure in failures[:40]:
        print(failure)
    print(f"{len(good)} scenes, {len(cases)} changed ones, {len(failures)} disagreements")
    return 1 if failures else 0


sys.exit(main())
