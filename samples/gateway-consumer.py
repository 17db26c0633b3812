#!/usr/bin/python3
"""Reads what a stream of `spate gateway` holds now, and checks its sequences: HOST PORT STREAM [USER PASSWORD]
Needs Debian's python3-pika. Ends with 1 if anything is missing without a reason, or cannot be read."""
import os
import struct
import sys
import pika

PREFIX = struct.Struct("<4sBBHHHHBBqQIIqq")  # docs/gateway/format.md names the fields
if len(sys.argv) < 4: sys.exit(__doc__)
host, port, stream, user, password = (sys.argv[1:] + ["guest", "guest"])[:5]
keys = {}  # (gateway, epoch, shard, partition) -> [next sequence, {first: end} of the gaps before it, copies]
later, unreadable = [], []  # offsets: of the first message published after the start; of what is no such message

def take(body):
    (magic, version, kind, flags, start, shard, partition, id_bytes, _, epoch, first, count, length, _, _
     ) = PREFIX.unpack_from(body)
    if (magic, version) != (b"SPGW", 1) or kind not in (1, 2) or start + length != len(body) or start < 56 + id_bytes:
        raise ValueError("this is no message of version 1")
    name = (body[56:56 + id_bytes].decode(), epoch, shard, partition)
    ranges = [(first, count)] if kind == 1 else [
        struct.unpack_from("<QQ", body, start + 64 + 24 * i) for i in range(count)]  # dropped, and said to be
    if kind == 2 and flags & 2: ranges.append((first, 0))  # the end: so many were accepted
    if name not in keys and kind == 2 and not flags & 1: return  # the head is cut: it begins with the first records
    key = keys.setdefault(name, [first if kind == 1 else 0, {}, 0])
    for low, number in ranges:
        end, (top, gaps, _) = low + number, key
        left = {x: y for a, b in gaps.items() for x, y in ((a, min(b, low)), (max(a, end), b)) if x < y}
        if kind == 1 and low < top and left == gaps: key[2] += number
        if low > top: left[top] = low
        key[:2] = max(top, end), left

login = pika.ConnectionParameters(host, int(port), credentials=pika.PlainCredentials(user, password))
connection = pika.BlockingConnection(login)  # not closed: that gives messages back, which no stream takes
channel, ends = connection.channel(), connection.channel()
for one, ahead in (channel, 32), (ends, 1): one.basic_qos(prefetch_count=ahead)  # no stream is read without it
ends.basic_consume(stream, lambda _, method, properties, body: later.append(properties.headers["x-stream-offset"]),
                   arguments={"x-stream-offset": "next"})
begin = {"x-stream-offset": "first"}
for method, properties, body in channel.consume(stream, inactivity_timeout=3, arguments=begin):
    if method is None or (later and properties.headers["x-stream-offset"] >= later[0]): break
    try:
        if properties.content_type == "application/vnd.spate.gateway;version=1": take(body)
    except (ValueError, struct.error): unreadable.append(properties.headers["x-stream-offset"])
    channel.basic_ack(method.delivery_tag)
for (gateway, epoch, shard, partition), (end, gaps, copies) in sorted(keys.items()):
    print(f"{gateway!a} {epoch} {shard}/{partition}: up to {end}, {copies} copies, missing {sorted(gaps.items())}")
print(f"could not be read: {len(unreadable)} {unreadable[:10]}")
sys.stdout.flush()
os._exit(bool(unreadable) or any(gaps for _, gaps, _ in keys.values()))
