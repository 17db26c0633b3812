using Spate.Diagnostics;

namespace Spate.Serving.Lifetime;

/// <summary>
/// The figures of one server for the meter: the counters that its threads keep anyway, its session tables, and the
/// drops of its handlers.
/// </summary>
internal sealed class ServerMetrics(string? name)
{
    public static readonly int FigureCount = Enum.GetValues<ServerMetric>().Length;

    private readonly Lock _lock = new();
    private readonly List<ISessionSource> _tables = [];
    private readonly long[] _dropped = new long[FigureCount];
    private SessionRefusals _endedRefusals;
    private ServerThreads? _threads;
    private bool _isClosed;

    /// <summary>The server's name, empty if it has none.</summary>
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

    /// <summary>Refusals of all tables, those of ended threads included.</summary>
    public SessionRefusals Refusals
    {
        get
        {
            lock (_lock) return _tables.Aggregate(_endedRefusals, (sum, table) => sum.Plus(table.Refusals));
        }
    }

    /// <summary>Called once, when the threads run.</summary>
    public void Open(ServerThreads threads) => Volatile.Write(ref _threads, threads);

    public void Add(ISessionSource table)
    {
        lock (_lock) _tables.Add(table);
    }

    /// <summary>Called when the table's thread has ended. The table's refusals stay in the totals.</summary>
    public void Remove(ISessionSource table)
    {
        lock (_lock)
        {
            if (_tables.Remove(table)) _endedRefusals = _endedRefusals.Plus(table.Refusals);
        }
    }

    /// <summary>Counts datagrams that a handler dropped. It may be called after the server has stopped.</summary>
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
    /// Closes the account, and returns false if it was closed already. Later drops are added to the meter itself.
    /// </summary>
    public bool TryClose()
    {
        lock (_lock)
        {
            if (_isClosed) return false;
            return _isClosed = true;
        }
    }

    /// <summary>Adds the server's totals to those of its name.</summary>
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
        sums[(int)ServerMetric.StopDrops] += threads.Unhandled;
        foreach (UdpThreadStatistics thread in threads.Read())
        {
            // The thread that receives for others passes its datagrams to threads that count them here.
            if (thread.ShardIndex >= 0) sums[(int)ServerMetric.Handled] += thread.Datagrams;
            sums[(int)ServerMetric.Faults] += thread.HandlerFaults;
            sums[(int)ServerMetric.FaultedDrops] += thread.DatagramsFaulted;
            sums[(int)ServerMetric.ReplyDrops] += thread.RepliesDropped;
        }
    }
}
