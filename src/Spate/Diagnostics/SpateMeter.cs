using System.Collections.Concurrent;
using System.Diagnostics.Metrics;

namespace Spate.Diagnostics;

/// <summary>
/// The meter "Spate": the observable instruments of <see cref="MeterTable"/> over all sockets and servers of the
/// process, summed by name. The meter does no work until somebody collects: it reads the counters that sockets and
/// servers keep anyway. The counts of a closed socket stay in the totals of its name.
/// </summary>
internal static class SpateMeter
{
    /// <summary>
    /// The most names that are counted separately. Sockets with any further name are counted together with the sockets
    /// that have no name, so that names cannot fill the memory.
    /// </summary>
    private const int MaxNameCount = 1000;

    private static readonly Meter Meter = new("Spate", typeof(SpateMeter).Assembly.GetName().Version?.ToString(3));
    private static readonly ConcurrentDictionary<MeterEntry, byte> Open = new();
    private static readonly Lock ClosedLock = new();
    private static readonly NameTable Names = new(MaxNameCount);
    private static Func<IEnumerable<KeyValuePair<string, long[]>>>? _readServers;

    static SpateMeter()
    {
        foreach (MeterRow row in MeterTable.Rows)
        {
            if (row.GoesDown) Meter.CreateObservableUpDownCounter(row.Name, () => Read(row), row.Unit, row.Meaning);
            else Meter.CreateObservableCounter(row.Name, () => Read(row), row.Unit, row.Meaning);
        }
    }

    /// <summary>The number of sockets that are open now.</summary>
    public static int OpenCount => Open.Count;

    /// <summary>
    /// Adds a socket to the meter. The meter keeps a weak reference to the socket, and a strong reference to the
    /// socket's counts.
    /// </summary>
    public static MeterEntry Add(ICounterSource socket, Func<UdpCounters> readCounts, string? name)
    {
        NameCounts counts;
        lock (ClosedLock) counts = Names.Of(name);
        MeterEntry entry = new(new WeakReference<ICounterSource>(socket), readCounts, counts);
        Open.TryAdd(entry, 0);
        return entry;
    }

    /// <summary>
    /// Removes a socket from the meter, and adds its counts to the totals of its name. Called once per socket, when the
    /// socket's counters do not change any more.
    /// </summary>
    public static void Remove(MeterEntry entry)
    {
        lock (ClosedLock) Close(entry);
    }

    /// <summary>
    /// Adds the counts of servers to the meter. The first server calls this method, so that a program without servers
    /// contains no server code.
    /// </summary>
    /// <param name="read">
    /// Returns the totals of each name; an empty string means no name. The index of a total is its
    /// <see cref="ServerMetric"/>.
    /// </param>
    public static void ReadServersBy(Func<IEnumerable<KeyValuePair<string, long[]>>> read) =>
        Volatile.Write(ref _readServers, read);

    private static List<Measurement<long>> Read(MeterRow row)
    {
        List<Measurement<long>> found = [];
        MeterFigure[] ofSockets = [.. row.Figures.Where(figure => figure.OfSocket is not null)];
        if (ofSockets.Length > 0) ReadSockets(row, ofSockets, found);
        MeterFigure[] ofServers = [.. row.Figures.Where(figure => figure.OfServer is not null)];
        if (ofServers.Length == 0 || Volatile.Read(ref _readServers) is not { } readServers) return found;
        foreach ((string name, long[] counts) in readServers())
        {
            foreach (MeterFigure figure in ofServers)
                found.Add(new(counts[(int)figure.OfServer!.Value], figure.TagsOf(name.Length == 0 ? null : name)));
        }

        return found;
    }

    private static void ReadSockets(MeterRow row, MeterFigure[] figures, List<Measurement<long>> found)
    {
        lock (ClosedLock)
        {
            DropCollected();
            Dictionary<NameCounts, long[]> sums = Names.All.ToDictionary(
                counts => counts, counts => Array.ConvertAll(figures, counts.ClosedOf));
            foreach (KeyValuePair<MeterEntry, byte> open in Open)
            {
                // Only the kernel's drops need a system call, one for each socket.
                UdpCounters counters = row.AsksSystem ? open.Key.Read() : open.Key.ReadCounts();
                long[] sum = sums[open.Key.Counts];
                for (int i = 0; i < figures.Length; i++) sum[i] += figures[i].OfSocket!(counters);
            }

            foreach ((NameCounts counts, long[] sum) in sums)
            {
                for (int i = 0; i < figures.Length; i++) found.Add(new(sum[i], figures[i].TagsOf(counts.Name)));
            }
        }
    }

    // Removes the sockets that the garbage collector has collected: they are closed without a call of Remove.
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
        foreach (MeterRow row in MeterTable.Rows)
        {
            if (row.GoesDown) continue;
            foreach (MeterFigure figure in row.Figures)
            {
                if (figure.OfSocket is { } ofSocket) entry.Counts.Close(figure, ofSocket(counters));
            }
        }
    }
}
