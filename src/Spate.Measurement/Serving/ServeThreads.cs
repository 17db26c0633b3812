using Spate.HostTuning.Cpus;
using Spate.HostTuning.Usage;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Reports;
using Spate.Serving;

namespace Spate.Measurement.Serving;

/// <summary>
/// Reads what the threads of a server have done: those with a handler from the handler, the thread that receives for
/// others from the server's statistics and /proc.
/// </summary>
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

    /// <summary>The size of all datagrams; null where sizes varied or nothing arrived.</summary>
    public int? CommonSizeBytes
    {
        get
        {
            int minBytes = _handlers.Min(static handler => handler.Tally.MinBytes);
            int maxBytes = _handlers.Max(static handler => handler.Tally.MaxBytes);
            return minBytes == maxBytes ? minBytes : null;
        }
    }

    /// <summary>The seconds from the first to the last call that brought datagrams; null where no call did.</summary>
    public double? Seconds(TimeProvider time)
    {
        AppHandler[] busy = [.. _handlers.Where(static handler => handler.Tally.Calls > 0)];
        if (busy.Length == 0) return null;
        long startTicks = busy.Min(static handler => handler.Tally.FirstTicks);
        long endTicks = busy.Max(static handler => handler.Tally.LastTicks);
        return Math.Max(0, time.GetElapsedTime(startTicks, endTicks).TotalSeconds);
    }

    /// <summary>What the threads did since the last time this was called.</summary>
    public ServeThreadInterval[] TakeInterval()
    {
        ServeThreadInterval[] now = Read();
        ServeThreadInterval[] last = _last;
        _last = now;
        return [.. now.Select((thread, index) =>
        {
            (int Min, int Max)? perCall = thread.ShardIndex >= 0
                ? HandlerOf(thread.ShardIndex).Tally.TakeInterval()
                : null;
            return thread with
            {
                Datagrams = thread.Datagrams - last[index].Datagrams,
                Calls = thread.Calls - last[index].Calls,
                MinPerCall = perCall?.Min,
                MaxPerCall = perCall?.Max,
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
            UdpThreadStatistics own = statistics[thread.ShardIndex];
            var report = new ServeThreadReport
            {
                Role = handles ? ServeThreadReport.HandleRole : ServeThreadReport.ReceiveRole,
                Shard = thread.ShardIndex,
                Cpu = thread.CpuIndex,
                Node = cpus.FirstOrDefault(cpu => cpu.Number == thread.CpuIndex)?.Node,
                Datagrams = thread.Datagrams,
                Bytes = handles ? HandlerOf(thread.ShardIndex).Tally.Bytes : own.Bytes,
                SharePercent = handles ? 100 * Statistics.Ratio(thread.Datagrams, datagrams) : null,
                Calls = thread.Calls,
                LeastPerCall = thread.MinPerCall ?? 0,
                MostPerCall = thread.MaxPerCall ?? 0,
                Sleeps = own.Sleeps,
                Sent = own.RepliesSent,
                Sessions = thread.Sessions,
            };
            report.SetUsage(thread.Usage);
            return report;
        })];
    }

    public void Dispose() => _readerMeter?.Dispose();

    private AppHandler HandlerOf(int shardIndex) =>
        Array.Find(_handlers, handler => handler.Shard.Index == shardIndex)!;

    // All figures are sums since the start.
    private ServeThreadInterval[] Read()
    {
        IReadOnlyList<UdpThreadStatistics> statistics = _server.GetStatistics().Threads;
        var threads = new List<ServeThreadInterval>();
        if (_readerMeter is not null)
        {
            UdpThreadStatistics reader = statistics[0];
            threads.Add(new ServeThreadInterval(
                reader.ShardIndex, CpuOf(reader.CpuIndex), reader.Datagrams, reader.Calls, reader.MinPerCall,
                reader.MaxPerCall, ReaderUsage(_readerMeter), Sessions: null));
        }

        foreach (AppHandler handler in _handlers)
        {
            ServeTally tally = handler.Tally;
            int cpuIndex = statistics.First(thread => thread.ShardIndex == handler.Shard.Index).CpuIndex;
            threads.Add(new ServeThreadInterval(
                handler.Shard.Index, CpuOf(cpuIndex), tally.Datagrams, tally.Calls, tally.MinPerCall,
                tally.MaxPerCall, handler.Usage, handler.Sessions));
        }

        return [.. threads];
    }

    // This thread has no handler that notes its use before it ends, so the last reading stands after that.
    private ThreadUsage ReaderUsage(ThreadMeter meter)
    {
        ThreadUsage now = meter.Usage - _readerUsageBefore;
        if (now.CpuNanoseconds is not null) _readerUsage = now;
        return _readerUsage;
    }

    private static int? CpuOf(int cpuIndex) => cpuIndex < 0 ? null : cpuIndex;
}
