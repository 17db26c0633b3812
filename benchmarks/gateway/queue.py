#!/usr/bin/python3
"""Makes the stream that syslog-ng publishes to through its exchange, counts its messages, or deletes a stream."""
import sys

import pika

NAME = "compare-syslog-ng"
port, action = int(sys.argv[1]), sys.argv[2]
connection = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", port))
channel = connection.channel()
if action == "delete":
    channel.queue_delete(sys.argv[3])
elif action == "make":
    channel.queue_delete(NAME)
    channel.exchange_declare("compare", "fanout")
    channel.queue_declare(NAME, durable=True, arguments={
        "x-queue-type": "stream", "x-max-length-bytes": 20_000_000_000})
    channel.queue_bind(NAME, "compare", NAME)
else:
    # The count that a broker states for a stream lags: read to the end.
    channel.basic_qos(prefetch_count=1000)
    count = 0
    for method, _, _ in channel.consume(NAME, arguments={"x-stream-offset": "first"}, inactivity_timeout=3):
        if method is None:
            break
        channel.basic_ack(method.delivery_tag)
        count += 1
    print(count)
connection.close()
