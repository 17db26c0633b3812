using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;

namespace Spate.Diagnostics;

/// <summary>
/// The meter "Spate": observable instruments over all sockets of the process. Nothing is counted twice and nothing is
/// done until somebody collects. What closed sockets had counted stays in the totals.
/// </summary>
internal static class SpateMeter
{
    private const int DropsIndex = 8;
    private const int BufferDropsIndex = 9;

    private static readonly Meter Meter = new("Spate");
    private static readonly ConcurrentDictionary<MeterEntry, byte> Open = new();
    private static readonly Lock ClosedLock = new();
    private static readonly long[] Closed = new long[10];
    private static readonly ConcurrentDictionary<string, StrongBox<long>> DropsAbove = new(StringComparer.Ordinal);

    static SpateMeter()
    {
        Add(0, "spate.datagrams.received", "{datagram}", "Datagrams handed to the application.");
        Add(1, "spate.bytes.received", "By", "Their payload.");
        Add(2, "spate.datagrams.sent", "{datagram}", "Datagrams that the system accepted.");
        Add(3, "spate.bytes.sent", "By", "Their payload.");
        Add(4, "spate.datagrams.refused", "{datagram}", "Datagrams that the system refused to send.");
        Add(5, "spate.datagrams.truncated", "{datagram}", "Datagrams that were longer than their buffer.");
        Add(6, "spate.icmp.errors", "{error}", "ICMP errors that were reported.");
        Add(7, "spate.demotions", "{demotion}", "Trains that a route refused and that were sent plainly.");
        Meter.CreateObservableCounter(
            "spate.drops", ReadDrops, "{drop}", "What arrived and was lost: its place and its unit are tags.");
        Meter.CreateObservableUpDownCounter("spate.sockets", CountOpen, "{socket}", "Open sockets.");
    }

    /// <summary>Sockets that are open now.</summary>
    public static int OpenCount => Open.Count;

    /// <summary>From now on the socket counts. It is held weakly, what it has counted is not.</summary>
    public static MeterEntry Add(ICounterSource socket, Func<UdpCounters> readCounts)
    {
        MeterEntry entry = new(new WeakReference<ICounterSource>(socket), readCounts);
        Open.TryAdd(entry, 0);
        return entry;
    }

    /// <summary>Called once per socket, when its counters do not change any more.</summary>
    public static void Remove(MeterEntry entry)
    {
        lock (ClosedLock) Close(entry);
    }

    /// <summary>Counts datagrams that were lost above the sockets.</summary>
    /// <param name="place">The value of the tag. There are few places, and they do not depend on the traffic.</param>
    /// <param name="datagramCount">The number of datagrams.</param>
    public static void CountDrops(string place, long datagramCount) =>
        Interlocked.Add(
            ref DropsAbove.GetOrAdd(place, static _ => new StrongBox<long>()).Value, datagramCount);

    private static void Add(int index, string name, string unit, string meaning) =>
        Meter.CreateObservableCounter(name, () => Total(index), unit, meaning);

    private static long Total(int index)
    {
        lock (ClosedLock)
        {
            DropCollected();
            long total = Closed[index];
            foreach (KeyValuePair<MeterEntry, byte> open in Open)
            {
                total += Value(open.Key.ReadCounts(), index);
            }

            return total;
        }
    }

    private static IEnumerable<Measurement<long>> ReadDrops()
    {
        List<Measurement<long>> drops = [];
        lock (ClosedLock)
        {
            DropCollected();
            long datagrams = Closed[DropsIndex];
            long buffers = Closed[BufferDropsIndex];
            foreach (KeyValuePair<MeterEntry, byte> open in Open)
            {
                // Only these counts ask the system, once for each socket.
                UdpCounters counters = open.Key.Read();
                datagrams += Value(counters, DropsIndex);
                buffers += Value(counters, BufferDropsIndex);
            }

            drops.Add(Drops(datagrams, "kernel_socket", "datagrams"));
            drops.Add(Drops(buffers, "kernel_socket", "coalesced_buffers"));
        }

        foreach (KeyValuePair<string, StrongBox<long>> place in DropsAbove)
            drops.Add(Drops(Interlocked.Read(ref place.Value.Value), place.Key, "datagrams"));
        return drops;
    }

    private static Measurement<long> Drops(long count, string place, string unit) =>
        new(count, new("place", place), new("unit", unit));

    private static int CountOpen()
    {
        lock (ClosedLock)
        {
            DropCollected();
            return Open.Count;
        }
    }

    // Forgotten sockets are closed by the collector, which tells nobody.
    private static void DropCollected()
    {
        foreach (KeyValuePair<MeterEntry, byte> open in Open)
        {
            if (!open.Key.IsAlive) Close(open.Key);
        }
    }

    private static void Close(MeterEntry entry)
    {
        if (!Open.TryRemove(entry, out _)) return;
        UdpCounters counters = entry.Read();
        for (int i = 0; i < Closed.Length; i++) Closed[i] += Value(counters, i);
    }

    private static long Value(in UdpCounters counters, int index) => index switch
    {
        0 => counters.DatagramsReceived,
        1 => counters.BytesReceived,
        2 => counters.DatagramsSent,
        3 => counters.BytesSent,
        4 => counters.DatagramsRefused,
        5 => counters.DatagramsTruncated,
        6 => counters.IcmpErrors,
        7 => counters.Demotions,
        DropsIndex => counters.KernelDropUnit == UdpDropUnit.Datagrams ? Math.Max(0, counters.KernelDrops) : 0,
        _ => counters.KernelDropUnit == UdpDropUnit.CoalescedBuffers ? Math.Max(0, counters.KernelDrops) : 0,
    };
}
