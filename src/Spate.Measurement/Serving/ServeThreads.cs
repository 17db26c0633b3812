using Spate.HostTuning.Cpus;
using Spate.HostTuning.Usage;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;
using Spate.Serving;

namespace Spate.Measurement.Serving;

/// <summary>Reads what the threads of a server have done: those with a handler from it, the other from /proc.</summary>
internal sealed class ServeThreads : IDisposable
{
    private readonly UdpServer _server;
    private readonly AppHandler[] _handlers;
    private readonly ThreadMeter? _readerMeter;
    private readonly ThreadUsage _readerUsageBefore;
    private ThreadUsage _readerUsage;
    private ServeThreadInterval[] _last;

    public ServeThreads(UdpServer server, IEnumerable<AppHandler> handlers)
    {
        _server = server;
        _handlers = [.. handlers.OrderBy(static handler => handler.Shard.Index)];
        UdpThreadStatistics first = server.GetStatistics().Threads[0];
        if (first.ShardIndex < 0)
        {
            _readerMeter = new ThreadMeter(first.SystemThreadId);
            _readerUsageBefore = _readerMeter.Usage;
        }

        _last = Read();
    }

    public long Datagrams => _handlers.Sum(static handler => handler.Tally.Datagrams);

    public long Bytes => _handlers.Sum(static handler => handler.Tally.Bytes);

    public long Unanswered => _handlers.Sum(static handler => handler.Tally.Unanswered);

    public long Announcements => _handlers.Sum(static handler => handler.Tally.Announcements);

    /// <summary>The one size of all datagrams; null where sizes varied or nothing came.</summary>
    public int? CommonSizeBytes
    {
        get
        {
            int smallestBytes = _handlers.Min(static handler => handler.Tally.SmallestBytes);
            int largestBytes = _handlers.Max(static handler => handler.Tally.LargestBytes);
            return smallestBytes == largestBytes ? smallestBytes : null;
        }
    }

    /// <summary>From the first to the last call that brought something; null where there was none.</summary>
    public double? Seconds(TimeProvider time)
    {
        AppHandler[] busy = [.. _handlers.Where(static handler => handler.Tally.Calls > 0)];
        if (busy.Length == 0) return null;
        long startTicks = busy.Min(static handler => handler.Tally.FirstTicks);
        long endTicks = busy.Max(static handler => handler.Tally.LastTicks);
        return Math.Max(0, time.GetElapsedTime(startTicks, endTicks).TotalSeconds);
    }

    /// <summary>What was done since the last call.</summary>
    public ServeThreadInterval[] TakeInterval()
    {
        ServeThreadInterval[] now = Read();
        ServeThreadInterval[] last = _last;
        _last = now;
        return [.. now.Select((thread, index) =>
        {
            (int Least, int Most)? perCall = thread.ShardIndex >= 0
                ? HandlerOf(thread.ShardIndex).Tally.TakeInterval()
                : null;
            return thread with
            {
                Datagrams = thread.Datagrams - last[index].Datagrams,
                Calls = thread.Calls - last[index].Calls,
                LeastPerCall = perCall?.Least,
                MostPerCall = perCall?.Most,
                Usage = thread.Usage - last[index].Usage,
            };
        })];
    }

    /// <summary>The reports of all threads.</summary>
    public ServeThreadReport[] Report()
    {
        long datagrams = Datagrams;
        Dictionary<int, UdpThreadStatistics> statistics = _server.GetStatistics().Threads
            .ToDictionary(static thread => thread.ShardIndex);
        IReadOnlyList<CpuInfo> cpus = CpuFacts.Read().All;
        return [.. Read().Select(thread =>
        {
            bool handles = thread.ShardIndex >= 0;
            UdpThreadStatistics told = statistics[thread.ShardIndex];
            var report = new ServeThreadReport
            {
                Role = handles ? ServeThreadReport.HandleRole : ServeThreadReport.ReceiveRole,
                Shard = thread.ShardIndex,
                Cpu = thread.CpuIndex,
                Node = cpus.FirstOrDefault(cpu => cpu.Number == thread.CpuIndex)?.Node,
                Datagrams = thread.Datagrams,
                Bytes = handles ? HandlerOf(thread.ShardIndex).Tally.Bytes : told.Bytes,
                SharePercent = handles ? 100 * Statistics.Ratio(thread.Datagrams, datagrams) : null,
                Calls = thread.Calls,
                LeastPerCall = thread.LeastPerCall ?? 0,
                MostPerCall = thread.MostPerCall ?? 0,
                Sleeps = told.Sleeps,
                Sent = told.RepliesSent,
                Sessions = thread.Sessions,
            };
            report.SetUsage(thread.Usage);
            return report;
        })];
    }

    public void Dispose() => _readerMeter?.Dispose();

    private AppHandler HandlerOf(int shardIndex) =>
        Array.Find(_handlers, handler => handler.Shard.Index == shardIndex)!;

    // From the start.
    private ServeThreadInterval[] Read()
    {
        IReadOnlyList<UdpThreadStatistics> told = _server.GetStatistics().Threads;
        var threads = new List<ServeThreadInterval>();
        if (_readerMeter is not null)
        {
            UdpThreadStatistics reader = told[0];
            threads.Add(new ServeThreadInterval(
                reader.ShardIndex, CpuOf(reader.CpuIndex), reader.Datagrams, reader.Calls, reader.MinPerCall,
                reader.MaxPerCall, ReaderUsage(_readerMeter), Sessions: null));
        }

        foreach (AppHandler handler in _handlers)
        {
            ServeTally tally = handler.Tally;
            int cpuIndex = told.First(thread => thread.ShardIndex == handler.Shard.Index).CpuIndex;
            threads.Add(new ServeThreadInterval(
                handler.Shard.Index, CpuOf(cpuIndex), tally.Datagrams, tally.Calls, tally.LeastPerCall,
                tally.MostPerCall, handler.Usage, handler.Sessions));
        }

        return [.. threads];
    }

    // It has no handler that could note what it used to its end, so after that the last reading stands.
    private ThreadUsage ReaderUsage(ThreadMeter meter)
    {
        ThreadUsage now = meter.Usage - _readerUsageBefore;
        if (now.CpuNanoseconds is not null) _readerUsage = now;
        return _readerUsage;
    }

    private static int? CpuOf(int cpuIndex) => cpuIndex < 0 ? null : cpuIndex;
}
