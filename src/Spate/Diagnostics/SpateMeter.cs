using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Spate.Diagnostics;

/// <summary>
/// The meter "Spate": observable instruments over all sockets of the process. Nothing is counted twice and nothing is
/// done until somebody collects. What closed sockets had counted stays in the totals.
/// </summary>
internal static class SpateMeter
{
    private const int KernelDropsIndex = 6;

    private static readonly Meter Meter = new("Spate");
    private static readonly ConcurrentDictionary<MeterEntry, byte> Open = new();
    private static readonly Lock ClosedLock = new();
    private static readonly long[] Closed = new long[9];

    static SpateMeter()
    {
        Add(0, "spate.datagrams.received", "{datagram}", "Datagrams handed to the application.");
        Add(1, "spate.bytes.received", "By", "Their payload.");
        Add(2, "spate.datagrams.sent", "{datagram}", "Datagrams that the system accepted.");
        Add(3, "spate.bytes.sent", "By", "Their payload.");
        Add(4, "spate.datagrams.refused", "{datagram}", "Datagrams that the system refused to send.");
        Add(5, "spate.datagrams.truncated", "{datagram}", "Datagrams that were longer than their buffer.");
        Add(KernelDropsIndex, "spate.kernel.drops", "{buffer}",
            "Receive buffers full: datagrams, or coalesced buffers on coalescing sockets.");
        Add(7, "spate.icmp.errors", "{error}", "ICMP errors that were reported.");
        Add(8, "spate.demotions", "{demotion}", "Trains that a route refused and that were sent plainly.");
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
                // Only this one asks the system, once for each socket.
                UdpCounters counters = index == KernelDropsIndex ? open.Key.Read() : open.Key.ReadCounts();
                total += Value(counters, index);
            }
            return total;
        }
    }

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
        KernelDropsIndex => Math.Max(0, counters.KernelDrops),
        7 => counters.IcmpErrors,
        _ => counters.Demotions,
    };
}
