#!/usr/bin/env python3
"""Records spate test over loopback as an animated SVG, the cast of the README.

python3 docs/images/cast.py TOOL >docs/images/spate-test.svg

TOOL is the program spate. The server's receive buffer is small on purpose, so that the verdict has a loss to explain.
Record on a quiet machine: on a busy one the verdict names the CPU.
"""

import fcntl
import html
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time

ADDRESS = "127.0.0.1:19733"
SERVER = ["test", "-s", ADDRESS, "--once"]
CLIENT = ["test", "-c", ADDRESS, "--seconds", "3", "--rate", "100k", "--remote-buffer", "32K"]
COLUMNS = 80
CHAR, STEP, LEFT, TOP = 8.4, 20, 20, 56
FONT = "ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace"
INK, BOLD, PROMPT, VERDICT = "#d7e0e8", "#ffffff", "#8fd3ff", "#ffb703"
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")


def read_terminal(command):
    """The lines that a command prints to a terminal: (seconds from its start, text, whether it is bold)."""
    start = time.monotonic()
    pid, terminal = pty.fork()
    if pid == 0:
        time.sleep(0.2)  # until the terminal has its size
        os.execv(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    lines, rest = [], ""
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # the program has ended
            break
        rest += data.decode()
        *whole, rest = rest.split("\r\n")
        lines += [(time.monotonic() - start, CONTROL.sub("", line), "\x1b[1m" in line) for line in whole]
    _, status = os.waitpid(pid, 0)
    if status != 0:
        sys.exit(f"cast.py: {' '.join(command)} failed:\n" + "\n".join(line for _, line, _ in lines))
    return lines


def record(tool):
    """The two processes in one terminal: the server in the background, the client in front of it."""
    server = subprocess.Popen([tool, *SERVER], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(1)
        lines = read_terminal([tool, *CLIENT])
    finally:
        server.terminate()
        server.wait()
    # The commands are there from the start, and the rest soon follows: a print or preview shows the first frame.
    shown = [(0, f"$ spate {' '.join(SERVER)} &", PROMPT), (0, f"$ spate {' '.join(CLIENT)}", PROMPT)]
    verdict = False
    for at, line, bold in lines:
        if line.startswith(("spate: test with", "left out:")):
            continue
        verdict = line != "" and (verdict or "of the loss is" in line)
        shown.append((0.3 + 0.3 * at, line, VERDICT if verdict else BOLD if bold else INK))
        if shown[-2][2] == VERDICT and not verdict:
            break
    while shown[-1][1] == "":
        shown.pop()
    return shown


def draw(lines):
    width, height = round(2 * LEFT + COLUMNS * CHAR), TOP + STEP * len(lines) + 12
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
           f' font-family="{FONT}" font-size="14" role="img">')
    yield "  <title>spate test over loopback, with its verdict</title>"
    yield "  <style>"
    yield "    text { animation: appear 1ms backwards }"
    yield "    @keyframes appear { from { opacity: 0 } }"
    yield "    @media (prefers-reduced-motion: reduce) { text { animation: none } }"
    yield "  </style>"
    yield f'  <rect width="{width}" height="{height}" rx="10" fill="#0b2230"/>'
    for i, fill in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        yield f'  <circle cx="{LEFT + 6 + 20 * i}" cy="20" r="6" fill="{fill}"/>'
    for i, (at, line, fill) in enumerate(lines):
        if line == "":
            continue
        indent = len(line) - len(line.lstrip())
        content, length = html.escape(line.strip(), quote=False).replace(" ", "\u00a0"), len(line.strip()) * CHAR
        weight = ' font-weight="bold"' if fill in (BOLD, VERDICT) else ""
        # With a length that is given, no font makes a line wider than the terminal.
        yield (f'  <text x="{LEFT + indent * CHAR:.1f}" y="{TOP + STEP * i}" textLength="{length:.1f}"'
               f' fill="{fill}"{weight} style="animation-delay:{at:.1f}s">{content}</text>')
    yield "</svg>"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: cast.py TOOL >FILE: the path of the program spate")
    print("\n".join(draw(record(os.path.abspath(sys.argv[1])))))
