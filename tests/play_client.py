"""A client of `limber play` (docs/protocol.md) on the standard library alone: HTTP requests, a websocket, and frames."""
import base64
import http.client
import json
import os
import re
import socket
import struct
import subprocess
import time

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Server:
    """A running `limber play`."""

    def __init__(self, program, *arguments, environment=None):
        self.process = subprocess.Popen(
            [program, "play", "--no-browser", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **(environment or {})},
        )
        self.line = self.process.stdout.readline()
        found = re.fullmatch(r"limber: open http://([\d.]+):(\d+)/\?token=([0-9a-f]{32})\n", self.line)
        if found is None:
            self.process.kill()
            raise AssertionError(f"no address: {self.line!r}, {self.process.stderr.read()!r}")
        self.address, self.port, self.token = found[1], int(found[2]), found[3]

    def stop(self):
        """Ends it; returns its exit code and what it said on stderr."""
        self.process.terminate()
        try:
            _, errors = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, errors

    def request(self, method, path, body=None, headers=None):
        """Returns status, headers and body."""
        connection = http.client.HTTPConnection(self.address, self.port, timeout=60)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        except ConnectionError:  # closed without an answer
            return 0, {}, b""
        finally:
            connection.close()

    def get(self, path, **arguments):
        separator = "&" if "?" in path else "?"
        return self.request("GET", f"{path}{separator}token={self.token}", **arguments)

    def upload(self, name, contents):
        return self.request("POST", f"/upload?token={self.token}&name={name}", contents)[0]


class Closed(Exception):
    """The server closed the connection; the code is in its argument."""


class Client:
    """A websocket to the server. Frames are acknowledged as they come, unless told otherwise."""

    def __init__(self, server, token=None, origin=None, host=None, path="/ws", protocol="limber.v1", acks=True,
                 receive_buffer=None):
        self.acks = acks
        self.socket = socket.socket()
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(60)
        self.socket.connect((server.address, server.port))
        host = host or f"{server.address}:{server.port}"
        lines = [
            f"GET {path}?token={server.token if token is None else token} HTTP/1.1",
            f"Host: {host}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
        ]
        if protocol is not None:
            lines.append(f"Sec-WebSocket-Protocol: {protocol}")
        if origin is not None:
            lines.append(f"Origin: {origin}")
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.buffer = b""
        head = self._head()
        self.status = int(head.split()[1]) if head else 0
        self.messages = []
        self.frames = []
        self.topologies = {}
        self.scene = None
        self.hello = None
        self.state = None
        self.objects = None
        self.last_id = 0
        self.deadline = float("inf")

    def _head(self):
        while b"\r\n\r\n" not in self.buffer:
            try:
                piece = self.socket.recv(65536)
            except ConnectionError:
                return ""
            if not piece:
                return ""
            self.buffer += piece
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        return head.decode()

    def _read(self, size):
        pieces = [self.buffer]
        have = len(self.buffer)
        while have < size:
            try:
                piece = self.socket.recv(1 << 20)
            except ConnectionError:
                raise Closed(0) from None
            if not piece:
                raise Closed(0)
            pieces.append(piece)
            have += len(piece)
        everything = b"".join(pieces)
        self.buffer = everything[size:]
        return everything[:size]

    def send_raw(self, kind, payload, final=True, claimed=None):
        """A websocket frame; `claimed`: the length that its header says."""
        length = len(payload) if claimed is None else claimed
        head = bytes([(0x80 if final else 0) | kind])
        if length < 126:
            head += bytes([0x80 | length])
        elif length < 1 << 16:
            head += bytes([0x80 | 126]) + struct.pack(">H", length)
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", length)
        mask = os.urandom(4)
        repeated = (mask * (len(payload) // 4 + 1))[: len(payload)]
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(len(payload), "big")
        self.socket.sendall(head + mask + masked)

    def send_text(self, text):
        self.send_raw(TEXT, text.encode())

    def send(self, **message):
        self.send_text(json.dumps(message))

    def receive(self):
        """The next message: a dictionary, or bytes."""
        parts = []
        while True:
            head = self._read(2)
            kind, length = head[0] & 15, head[1] & 127
            if length == 126:
                length = struct.unpack(">H", self._read(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self._read(8))[0]
            payload = self._read(length)
            if kind == CLOSE:
                raise Closed(struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else 1005)
            if kind == PING:
                self.send_raw(PONG, payload)
                if time.monotonic() > self.deadline:
                    raise AssertionError("what was waited for did not come")
                continue
            if kind in (TEXT, BINARY):
                first = kind
            parts.append(payload)
            if head[0] & 0x80:
                break
        payload = b"".join(parts)
        return json.loads(payload) if first == TEXT else payload

    def take(self):
        """Receives one message and keeps what it says."""
        message = self.receive()
        if isinstance(message, bytes):
            if struct.unpack_from("<I", message)[0] == 1:
                topology = Topology(message)
                self.topologies[topology.body] = topology
                return topology
            frame = Frame(message)
            self.frames.append(frame)
            del self.frames[:-3]
            if self.acks:
                self.send(type="ack", frame=frame.number)
            return frame
        kind = message["type"]
        if kind == "hello":
            self.hello = message
        elif kind == "scene":
            self.scene = message
            self.topologies = {}
        elif kind == "state":
            self.state = message
        elif kind == "objects":
            self.objects = message
        self.messages.append(message)
        return message

    def wait(self, condition, seconds=60):
        """Receives until one message fulfils the condition, and returns it."""
        self.deadline = time.monotonic() + seconds
        while time.monotonic() < self.deadline:
            message = self.take()
            if condition(message):
                self.deadline = float("inf")
                return message
        raise AssertionError("what was waited for did not come")

    def hear(self, condition):
        """A text message that has come or will come."""
        for message in self.messages:
            if condition(message):
                return message
        return self.wait(lambda m: isinstance(m, dict) and condition(m))

    def wait_type(self, kind):
        return self.wait(lambda m: isinstance(m, dict) and m["type"] == kind)

    def wait_frame(self, condition=lambda frame: True):
        return self.wait(lambda m: isinstance(m, Frame) and condition(m))

    def ask(self, **message):
        """Sends a message with an id and returns the answer."""
        self.last_id += 1
        self.send(id=self.last_id, **message)
        return self.wait(lambda m: isinstance(m, dict) and m.get("id") == self.last_id and m["type"] in ("done", "error"))

    def do(self, **message):
        """The same; it must go well."""
        answer = self.ask(**message)
        assert answer["type"] == "done", answer

    def start(self):
        """What comes first, up to a frame of the scene."""
        self.wait_type("scene")
        revision = self.scene["revision"]
        return self.wait_frame(lambda frame: frame.revision == revision)

    def close(self):
        self.socket.close()


class Words:
    """Reads words of 4 bytes, one after the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def peek(self, code, count):
        return struct.unpack_from(f"<{count}{code}", self.data, self.at)

    def take(self, code, count):
        values = self.peek(code, count)
        self.at += struct.calcsize(f"<{count}{code}")
        return values


class Topology:
    def __init__(self, data):
        words = Words(data)
        kind, self.revision, self.body, points, triangles, self.flags, self.nodes, edges = words.take("I", 8)
        assert kind == 1
        self.points = points
        self.triangles = words.take("I", 3 * triangles)
        self.coordinates = words.take("f", 6 * triangles) if self.flags & 1 else None
        self.colors = words.take("f", 4 * points) if self.flags & 2 else None
        self.materials = words.take("I", triangles) if self.flags & 4 else None
        self.edges = words.take("I", 2 * edges)
        self.tets = words.take("I", 4 * words.take("I", 1)[0]) if self.flags & 8 else None
        self.lattice = Lattice(words, points) if self.flags & 16 else None
        assert words.at == len(data), (words.at, len(data))


class Lattice:
    """What a skin hangs on: the nodes of a frame say where its points are."""

    def __init__(self, words, points):
        self.sides = words.take("f", 3)
        self.corners = words.take("I", 8 * points)
        self.shares = words.take("f", 3 * points)
        self.normals = words.take("b", 4 * points)

    def place(self, nodes, point):
        place = [0, 0, 0]
        shares = self.shares[3 * point : 3 * point + 3]
        for corner in range(8):
            weight = 1
            for axis, share in enumerate(shares):
                weight *= share if corner >> axis & 1 else 1 - share
            node = self.corners[8 * point + corner]
            for axis in range(3):
                place[axis] += weight * nodes[3 * node + axis]
        return place


class Frame:
    def __init__(self, data):
        words = Words(data)
        self.size = len(data)
        kind, self.revision, self.number, flags, stats, probes, tools, bodies = words.take("I", 8)
        assert kind == 2
        self.flags, self.field = flags & 255, (flags >> 8) - 1
        self.stats = words.take("f", stats)
        self.probes = words.take("f", probes)
        self.tools = []
        for _ in range(tools):
            kind, owner = words.take("I", 2)
            numbers = words.take("f", 11)
            body, point, _ = words.peek("I", 3)
            extent = words.take("f", 3)  # of a hand it is no length, but what it holds
            self.tools.append({"kind": kind, "owner": owner, "position": numbers[:3], "rotation": numbers[3:7],
                               "size": numbers[7], "force": numbers[8:], "body": body, "point": point,
                               "extent": extent if kind < 1000 else None})
        self.bodies = []
        for _ in range(bodies):
            points, nodes, flags, contacts, *_ = words.take("I", 8)
            sent = 0 if flags & 8 else points
            body = {"points": points, "nodeCount": nodes, "onLattice": flags & 8 != 0,
                    "positions": words.take("f", 3 * sent), "normals": words.take("b", 4 * sent)}
            body["field"] = words.take("f", points) if flags & 1 else None
            body["nodes"] = words.take("f", 3 * nodes) if flags & 2 else None
            body["nodeField"] = words.take("f", nodes) if flags & 4 else None
            body["contacts"], body["others"], body["pressures"] = [], [], []
            for _ in range(contacts):
                body["contacts"].append(words.take("f", 6))
                body["others"].append(words.take("I", 1)[0])
                body["pressures"].append(words.take("f", 1)[0])
            self.bodies.append(body)
        self.toolPoints = words.take("f", 3 * words.take("I", 1)[0])
        assert words.at == len(data), (words.at, len(data))

    def point(self, body, index):
        return self.bodies[body]["positions"][3 * index : 3 * index + 3]
