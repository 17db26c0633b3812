using Spate.Diagnostics;

namespace Spate.Serving.Lifetime;

/// <summary>
/// The totals of one server for the meter. They come from the counters that its threads keep in any case, from its
/// session tables, and from the drops that handlers report (<see cref="CountDrops"/>).
/// </summary>
internal sealed class ServerMetrics(string? name)
{
    public static readonly int FigureCount = Enum.GetValues<ServerMetric>().Length;

    private readonly Lock _lock = new();
    private readonly List<ISessionSource> _tables = [];
    private readonly long[] _dropped = new long[FigureCount];
    private SessionRefusals _endedRefusals;
    private ServerThreads? _threads;
    private ServerSockets? _sockets;
    private bool _isClosed;

    /// <summary>The server's name; empty if it has none.</summary>
    public string Name => name ?? "";

    public int SessionCount
    {
        get
        {
            lock (_lock) return _tables.Sum(table => table.Count);
        }
    }

    public long ChannelDrops
    {
        get
        {
            lock (_lock) return _dropped[(int)ServerMetric.FullChannelDrops];
        }
    }

    /// <summary>The refusals of all session tables, including the tables of ended threads.</summary>
    public SessionRefusals Refusals
    {
        get
        {
            lock (_lock) return _tables.Aggregate(_endedRefusals, (sum, table) => sum.Plus(table.Refusals));
        }
    }

    /// <summary>Sets the threads whose counters are read. Called once, when all threads run.</summary>
    public void Open(ServerThreads threads, ServerSockets sockets)
    {
        _sockets = sockets;
        Volatile.Write(ref _threads, threads);
    }

    public void Add(ISessionSource table)
    {
        lock (_lock) _tables.Add(table);
    }

    /// <summary>Removes a table, when its thread has ended. The refusals of the table stay in the totals.</summary>
    public void Remove(ISessionSource table)
    {
        lock (_lock)
        {
            if (_tables.Remove(table)) _endedRefusals = _endedRefusals.Plus(table.Refusals);
        }
    }

    /// <summary>Counts datagrams that a handler dropped. May also be called after the server has stopped.</summary>
    public void CountDrops(ServerMetric figure, int datagramCount)
    {
        lock (_lock)
        {
            if (!_isClosed)
            {
                _dropped[(int)figure] += datagramCount;
                return;
            }
        }

        ServerMeter.AddClosed(Name, figure, datagramCount);
    }

    /// <summary>
    /// Called when the server has stopped: from now on <see cref="CountDrops"/> adds drops directly to the totals of
    /// <see cref="ServerMeter"/>. Returns false if an earlier call has done this.
    /// </summary>
    public bool TryClose()
    {
        lock (_lock)
        {
            if (_isClosed) return false;
            return _isClosed = true;
        }
    }

    /// <summary>Adds the server's totals to the sums of its name.</summary>
    public void AddTo(long[] sums)
    {
        lock (_lock)
        {
            for (int i = 0; i < sums.Length; i++) sums[i] += _dropped[i];
        }

        SessionRefusals refusals = Refusals;
        sums[(int)ServerMetric.Sessions] += SessionCount;
        sums[(int)ServerMetric.RefusedFull] += refusals.Full;
        sums[(int)ServerMetric.RefusedByPrefix] += refusals.ByPrefix;
        sums[(int)ServerMetric.RefusedByRate] += refusals.ByRate;
        if (Volatile.Read(ref _threads) is not { } threads) return;
        sums[(int)ServerMetric.Threads] += threads.Shards.Length;
        sums[(int)ServerMetric.StopDrops] += _sockets!.Unhandled;
        foreach (UdpThreadStatistics thread in threads.Read())
        {
            // The reader, with the index -1, is left out: the workers count the same datagrams when they handle them.
            if (thread.ShardIndex >= 0) sums[(int)ServerMetric.Handled] += thread.Datagrams;
            sums[(int)ServerMetric.Faults] += thread.HandlerFaults;
            sums[(int)ServerMetric.FaultedDrops] += thread.DatagramsFaulted;
            sums[(int)ServerMetric.ReplyDrops] += thread.RepliesDropped;
        }
    }
}
