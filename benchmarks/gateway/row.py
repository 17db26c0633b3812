#!/usr/bin/python3
"""Prints a row of rates.sh from the reports of the sender and the gateway, and the broker's CPU time at both ends."""
import json
import sys

name, folder, before, after = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
with open(f"{folder}/sent.json") as file:
    sent = json.load(file)
with open(f"{folder}/gateway.json") as file:
    gateway = json.load(file)


def cpu(report):
    return (report["cpuUserSeconds"] + report["cpuSystemSeconds"]) / sent["seconds"]


offered, committed = sent["datagrams"], gateway["committed"]
lost = max(0, offered - committed)
print(
    f"| {name} | {sent['datagramsPerSecond']:,.0f}/s | {offered:,} | {committed:,} | {lost:,} ({100 * lost / offered:.3f} %) "
    f"| {gateway['kernelDrops']:,} | {gateway['dropped']:,} | {gateway['difference']} "
    f"| {100 * cpu(sent):.0f}, {100 * cpu(gateway):.0f}, {100 * (after - before) / sent['seconds']:.0f} % "
    f"| {gateway['allocatedBytes'] / max(1, gateway['messagesConfirmed']):,.0f} B | {gateway['residentPeakBytes'] >> 20} MiB |",
    flush=True)
