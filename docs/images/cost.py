#!/usr/bin/env python3
"""Draws cost.svg, the chart of the README: python3 docs/images/cost.py >docs/images/cost.svg"""

# CPU time per datagram in ns, 1380 bytes: (label, note, sender, receiver).
# Source: the columns "send ns" and "receive ns" of the first table of docs/measure/figures.md.
BARS = [
    ("Socket, async", "one await and one call per datagram", 3370, 4321),
    ("Socket, blocking", "one call per datagram", 2783, 1916),
    ("Spate, async", "one await per datagram", 2394, 3217),
    ("Spate, batches", "offloads off", 2266, 1559),
    ("Spate, batches with GSO and GRO", "the default on Linux", 219, 185),
]
TITLE = "CPU time per datagram, 1380 bytes"
CAVEAT = ["Loopback, one peer, one virtual machine with 2 CPUs, Linux 6.18.", "GSO and GRO at their best: nothing cuts"
          " the datagrams apart on the way."]

WIDTH, LEFT, RIGHT, TOP, STEP, BAR = 640, 24, 96, 104, 58, 22
FONT = "-apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif"
INK, QUIET, SEND, RECEIVE = "#1b2733", "#51606e", "#0b6e99", "#f0a202"


def text(x, y, content, size=16, fill=INK, extra=""):
    return f'  <text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}"{extra}>{content}</text>'


def box(x, y, width, fill):
    return f'  <rect x="{x:g}" y="{y:g}" width="{width:g}" height="{BAR}" fill="{fill}"/>'


def main():
    height = TOP + STEP * len(BARS) + 24 + 20 * len(CAVEAT)
    scale = (WIDTH - LEFT - RIGHT) / max(sender + receiver for _, _, sender, receiver in BARS)
    described = "; ".join(f"{label} ({note}): {sender + receiver} ns" for label, note, sender, receiver in BARS)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
        f' font-family="{FONT}" role="img">',
        f"  <title>{TITLE}</title>",
        f"  <desc>{described}</desc>",
        f'  <rect x="1" y="1" width="{WIDTH - 2}" height="{height - 2}" rx="10" fill="#ffffff" stroke="#c5ced6"/>',
        text(LEFT, 38, TITLE, 20, extra=' font-weight="bold"'),
        f'  <rect x="{LEFT}" y="56" width="16" height="16" fill="{SEND}"/>',
        text(LEFT + 24, 70, "sender"),
        f'  <rect x="{LEFT + 100}" y="56" width="16" height="16" fill="{RECEIVE}"/>',
        text(LEFT + 124, 70, "receiver"),
    ]
    for i, (label, note, sender, receiver) in enumerate(BARS):
        y = TOP + STEP * i
        end = LEFT + scale * (sender + receiver)
        lines.append(text(LEFT, y + 12, f'{label} <tspan fill="{QUIET}">({note})</tspan>'))
        lines.append(box(LEFT, y + 20, scale * sender, SEND))
        lines.append(box(LEFT + scale * sender, y + 20, scale * receiver, RECEIVE))
        microseconds = (sender + receiver) / 1000
        shown = f"{microseconds:.{1 if microseconds >= 1 else 2}f} µs"
        lines.append(text(end + 8, y + 37, shown, extra=' font-weight="bold"'))
    for i, line in enumerate(CAVEAT):
        lines.append(text(LEFT, TOP + STEP * len(BARS) + 22 + 20 * i, line, 15, QUIET))
    print("\n".join([*lines, "</svg>"]))


if __name__ == "__main__":
    main()
