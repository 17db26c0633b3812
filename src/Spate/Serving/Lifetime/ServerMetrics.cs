using System.Diagnostics;
using Spate.Diagnostics;

namespace Spate.Serving.Lifetime;

/// <summary>
/// The totals of one server for the meter "Spate", which sums them by server name. They come from the counters that its
/// threads keep in any case, from its session tables, and from the drops that handlers report
/// (<see cref="CountDrops"/>). The totals of a stopped server stay in the sums, except for its numbers of threads and
/// sessions.
/// </summary>
internal sealed class ServerMetrics(string? name)
{
    /// <summary>
    /// The largest number of names that have sums of their own; the socket metrics have the same limit. Servers with
    /// any further name are counted together with the servers that have no name.
    /// </summary>
    private const int MaxNameCount = 1000;

    private static readonly int FigureCount = Enum.GetValues<ServerMetric>().Length;
    private static readonly HashSet<ServerMetrics> Running = [];
    private static readonly Dictionary<string, long[]> Stopped = new(StringComparer.Ordinal)
    {
        [""] = new long[FigureCount],
    };

    // One lock for all servers: a stop moves totals from the server to the sums of its name.
    private static readonly Lock Lock = new();

    private readonly List<ISessionSource> _tables = [];
    private readonly long[] _dropped = new long[FigureCount];
    private SessionRefusals _endedRefusals;
    private ServerThreads? _threads;
    private ServerSockets? _sockets;
    private bool _isStopped;

    static ServerMetrics() => SpateMeter.ReadServersBy(Read);

    /// <summary>The server's name; empty if it has none.</summary>
    public string Name => name ?? "";

    private int SessionCount => _tables.Sum(table => table.Count);

    // Includes the tables of ended threads.
    private SessionRefusals Refusals => _tables.Aggregate(_endedRefusals, (sum, table) => sum.Plus(table.Refusals));

    /// <summary>Adds the counts of tables and of channels to the statistics of the server.</summary>
    public UdpServerStatistics AddTo(UdpServerStatistics statistics)
    {
        lock (Lock)
        {
            return statistics with
            {
                ChannelDrops = _dropped[(int)ServerMetric.FullChannelDrops],
                SessionCount = SessionCount,
                SessionsRefused = Refusals,
            };
        }
    }

    /// <summary>Adds the server's totals to the meter. Called once, when all threads run.</summary>
    public void Start(ServerThreads? threads, ServerSockets? sockets)
    {
        lock (Lock)
        {
            (_threads, _sockets) = (threads, sockets);
            StoppedOf(Name);
            bool isNew = Running.Add(this);
            Debug.Assert(isNew && !_isStopped, "A server starts once.");
        }
    }

    /// <summary>
    /// Called when the server has stopped: adds its final totals to the sums of its name. Further calls do nothing.
    /// </summary>
    public void Stop()
    {
        lock (Lock)
        {
            if (!Running.Remove(this)) return;
            _isStopped = true;
            long[] last = new long[FigureCount];
            AddTo(last);
            last[(int)ServerMetric.Threads] = 0;
            last[(int)ServerMetric.Sessions] = 0;
            Add(last, StoppedOf(Name));
        }
    }

    public void Add(ISessionSource table)
    {
        lock (Lock) _tables.Add(table);
    }

    /// <summary>Removes a table, when its thread has ended. The refusals of the table stay in the totals.</summary>
    public void Remove(ISessionSource table)
    {
        lock (Lock)
        {
            if (_tables.Remove(table)) _endedRefusals = _endedRefusals.Plus(table.Refusals);
        }
    }

    /// <summary>Counts datagrams that a handler dropped. May also be called after the server has stopped.</summary>
    public void CountDrops(ServerMetric figure, int datagramCount)
    {
        lock (Lock) (_isStopped ? StoppedOf(Name) : _dropped)[(int)figure] += datagramCount;
    }

    private static IEnumerable<KeyValuePair<string, long[]>> Read()
    {
        lock (Lock)
        {
            Dictionary<string, long[]> sums = new(StringComparer.Ordinal);
            foreach ((string name, long[] stopped) in Stopped) sums[name] = [.. stopped];
            foreach (ServerMetrics server in Running) server.AddTo(sums.GetValueOrDefault(server.Name, sums[""]));
            return sums;
        }
    }

    private static long[] StoppedOf(string name)
    {
        if (Stopped.TryGetValue(name, out long[]? sums)) return sums;
        return Stopped.Count > MaxNameCount ? Stopped[""] : Stopped[name] = new long[FigureCount];
    }

    private static void Add(long[] counts, long[] sums)
    {
        for (int i = 0; i < sums.Length; i++) sums[i] += counts[i];
    }

    private void AddTo(long[] sums)
    {
        Debug.Assert(Lock.IsHeldByCurrentThread);
        Add(_dropped, sums);
        SessionRefusals refusals = Refusals;
        sums[(int)ServerMetric.Sessions] += SessionCount;
        sums[(int)ServerMetric.RefusedFull] += refusals.Full;
        sums[(int)ServerMetric.RefusedByPrefix] += refusals.ByPrefix;
        sums[(int)ServerMetric.RefusedByRate] += refusals.ByRate;
        sums[(int)ServerMetric.Threads] += _threads?.Shards.Length ?? 0;
        sums[(int)ServerMetric.StopDrops] += _sockets?.Unhandled ?? 0;
        foreach (UdpThreadStatistics thread in _threads?.Read() ?? [])
        {
            // The reader, with the index -1, is left out: the workers count the same datagrams when they handle them.
            if (thread.ShardIndex is not null) sums[(int)ServerMetric.Handled] += thread.Datagrams;
            sums[(int)ServerMetric.Faults] += thread.HandlerFaults;
            sums[(int)ServerMetric.FaultedDrops] += thread.DatagramsFaulted;
            sums[(int)ServerMetric.ReplyDrops] += thread.RepliesDropped;
        }
    }
}

/// <summary>The members of a session table that <see cref="ServerMetrics"/> reads.</summary>
internal interface ISessionSource
{
    int Count { get; }

    SessionRefusals Refusals { get; }
}
