#!/usr/bin/env python3
"""test_udp_device.py PROGRAM: presses with examples/udp_device.c as a device would, over UDP, and feels a force."""
import socket
import subprocess
import sys
import time


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def feel(hand, address, place, wanted, seconds=60):
    """Sends a place until a force fits; the last force."""
    force = [0.0, 0.0, 0.0]
    end = time.monotonic() + seconds
    while time.monotonic() < end and not wanted(force):
        hand.sendto(b"%f %f %f" % place, address)
        try:
            force = [float(number) for number in hand.recv(200).split()]
        except (socket.timeout, ConnectionRefusedError):
            time.sleep(0.05)
    return force


def main():
    port = free_port()
    program = subprocess.Popen([sys.argv[1], str(port), "300"])
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as hand:
            hand.settimeout(0.2)
            address = ("127.0.0.1", port)
            hand.sendto(b"what is this", address)  # passed over
            for step in range(46):  # as a hand would: half a second and more, and never deeper than is felt
                hand.sendto(b"0 %f 0" % (0.5 - 0.005 * step), address)
                time.sleep(0.03)
            pressed = feel(hand, address, (0, 0.27, 0), lambda force: force[1] > 1)
            assert pressed[1] > 1, f"pressed, but felt {pressed}"
            away = feel(hand, address, (0, 0.6, 0), lambda force: force == [0, 0, 0])
            assert away == [0, 0, 0], f"in the air, but felt {away}"
        assert program.poll() is None, "the program has ended"
    finally:
        program.kill()
        program.wait()


main()
