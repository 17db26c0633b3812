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
    private static readonly Lock TotalsLock = new();
    private static readonly HashSet<MeterEntry> Open = [];
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
        lock (TotalsLock)
        {
            MeterEntry entry = new(new WeakReference<ICounterSource>(socket), readCounts, Names.Of(name));
            Open.Add(entry);
            return entry;
        }
    }

    /// <summary>
    /// Removes a socket from the meter, and adds its counts to the totals of its name. Called once per socket, when the
    /// socket's counters do not change any more.
    /// </summary>
    public static void Remove(MeterEntry entry)
    {
        lock (TotalsLock)
        {
            if (Open.Remove(entry)) Close(entry);
        }
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
        lock (TotalsLock)
        {
            // The garbage collector closes forgotten sockets without a call of Remove.
            foreach (MeterEntry collected in Open.Where(entry => !entry.IsAlive).ToArray())
            {
                Open.Remove(collected);
                Close(collected);
            }

            Dictionary<NameCounts, long[]> sums = Names.All.ToDictionary(
                counts => counts, counts => Array.ConvertAll(figures, counts.ClosedOf));
            foreach (MeterEntry open in Open)
            {
                // Only the kernel's drops need a system call, one for each socket.
                UdpCounters counters = row.AsksSystem ? open.Read() : open.ReadCounts();
                long[] sum = sums[open.Counts];
                for (int i = 0; i < figures.Length; i++) sum[i] += figures[i].OfSocket!(counters);
            }

            foreach ((NameCounts counts, long[] sum) in sums)
            {
                for (int i = 0; i < figures.Length; i++) found.Add(new(sum[i], figures[i].TagsOf(counts.Name)));
            }
        }
    }

    private static void Close(MeterEntry entry)
    {
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

/// <summary>An object with counters that the meter adds up, such as a socket.</summary>
internal interface ICounterSource
{
    UdpCounters GetCounters();
}

/// <summary>
/// One socket in the meter. The reference to the socket is weak, so that a forgotten socket is collected and its
/// descriptor closed. The reference to the socket's counts is strong, so that the totals still include the counts of a
/// collected socket.
/// </summary>
internal sealed class MeterEntry(
    WeakReference<ICounterSource> socket, Func<UdpCounters> readCounts, NameCounts counts)
{
    public bool IsAlive => socket.TryGetTarget(out _);

    /// <summary>
    /// The totals of the closed sockets that have this socket's name. This socket's counts are added when it is closed.
    /// </summary>
    public NameCounts Counts => counts;

    /// <summary>Reads the socket's own counts. Does not ask the system for the kernel's drops.</summary>
    public UdpCounters ReadCounts() => readCounts();

    public UdpCounters Read() =>
        socket.TryGetTarget(out ICounterSource? source) ? source.GetCounters() : readCounts();
}

/// <summary>
/// The meter's totals for each name, up to a maximum number of names. Sockets with any further name are counted
/// together with the sockets that have no name, so that names cannot fill the memory. Not safe for use by several
/// threads at once.
/// </summary>
internal sealed class NameTable(int maxNameCount)
{
    private readonly Dictionary<string, NameCounts> _named = new(StringComparer.Ordinal);
    private readonly NameCounts _nameless = new(null);

    public IEnumerable<NameCounts> All => _named.Values.Prepend(_nameless);

    public NameCounts Of(string? name)
    {
        if (name is null) return _nameless;
        if (_named.TryGetValue(name, out NameCounts? known)) return known;
        return _named.Count >= maxNameCount ? _nameless : _named[name] = new NameCounts(name);
    }
}

/// <summary>The final counts of all closed sockets with one name, added up per figure.</summary>
internal sealed class NameCounts(string? name)
{
    private readonly Dictionary<MeterFigure, long> _closed = [];

    /// <summary>The name; null for sockets without a name.</summary>
    public string? Name => name;

    public long ClosedOf(MeterFigure figure) => _closed.GetValueOrDefault(figure);

    public void Close(MeterFigure figure, long count) => _closed[figure] = ClosedOf(figure) + count;
}
