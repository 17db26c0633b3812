using Spate.HostTuning.Reading.Cpus;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Cli.Serve;

/// <summary>
/// Reads what the threads of a server have done: those with a handler from the handler, the thread that receives for
/// others from the server's statistics and the system.
/// </summary>
internal sealed class ServerThreadMeter : IDisposable
{
    private readonly UdpServer _server;
    private readonly AppHandler[] _handlers;
    private readonly ThreadGauge? _readerGauge;
    private ThreadIntervalReport[] _last;

    public ServerThreadMeter(UdpServer server, IEnumerable<AppHandler> handlers)
    {
        _server = server;
        _handlers = [.. handlers.OrderBy(static handler => handler.Shard.Index)];
        UdpThreadStatistics first = server.GetStatistics().Threads[0];
        if (first.ShardIndex is null) _readerGauge = new ThreadGauge(first.SystemThreadId ?? 0);

        _last = Read();
    }

    public long Datagrams => Sum(static counters => counters.Calls.Datagrams);

    public long Bytes => Sum(static counters => counters.Bytes);

    /// <summary>The size of all datagrams; null where sizes varied or nothing arrived.</summary>
    public int? CommonSizeBytes
    {
        get
        {
            int minBytes = _handlers.Min(static handler => handler.Counters.MinBytes);
            int maxBytes = _handlers.Max(static handler => handler.Counters.MaxBytes);
            return minBytes == maxBytes ? minBytes : null;
        }
    }

    public long Sum(Func<ServeCounters, long> count) => _handlers.Sum(handler => count(handler.Counters));

    /// <summary>The seconds from the first to the last call that brought datagrams; null where no call did.</summary>
    public double? Seconds(TimeProvider time)
    {
        AppHandler[] busy = [.. _handlers.Where(static handler => handler.Counters.Calls.Calls > 0)];
        if (busy.Length == 0) return null;
        long startTicks = busy.Min(static handler => handler.Counters.FirstTicks);
        long endTicks = busy.Max(static handler => handler.Counters.LastTicks);
        return Math.Max(0, time.GetElapsedTime(startTicks, endTicks).TotalSeconds);
    }

    /// <summary>What the threads did since the last time this was called.</summary>
    public ThreadIntervalReport[] TakeInterval(ThreadIntervalReport[] now)
    {
        ThreadIntervalReport[] last = _last;
        _last = now;
        return [.. now.Select((thread, index) =>
        {
            (int Min, int Max)? perCall =
                thread.Index >= 0 ? HandlerOf(thread.Index).Counters.Calls.TakeInterval() : null;
            return thread.Since(last[index]) with { LeastPerCall = perCall?.Min, MostPerCall = perCall?.Max };
        })];
    }

    public ServerThreadReport[] Report()
    {
        long datagrams = Datagrams;
        Dictionary<int, UdpThreadStatistics> statistics = _server.GetStatistics().Threads
            .ToDictionary(static thread => thread.ShardIndex ?? ServerThreadReport.ReaderIndex);
        IReadOnlyList<CpuInfo> cpus = CpuFacts.Read().All;
        return [.. Read().Select(thread =>
        {
            bool handles = thread.Index >= 0;
            UdpThreadStatistics own = statistics[thread.Index];
            var report = new ServerThreadReport
            {
                Role = thread.Role,
                Shard = thread.Index,
                Cpu = own.Cpu,
                Node = cpus.FirstOrDefault(cpu => cpu.Number == own.Cpu)?.Node,
                SystemThreadId = own.SystemThreadId,
                AllowedCpuList = handles
                    ? HandlerOf(thread.Index).AllowedCpuList
                    : _readerGauge!.AllowedCpuList,
                Datagrams = thread.Datagrams,
                Bytes = handles ? HandlerOf(thread.Index).Counters.Bytes : own.Bytes,
                SharePercent = handles ? 100 * Statistics.Ratio(thread.Datagrams, datagrams) : null,
                Calls = thread.Calls,
                LeastPerCall = thread.LeastPerCall ?? 0,
                MostPerCall = thread.MostPerCall ?? 0,
                Sleeps = own.Sleeps,
                Sent = own.RepliesSent,
                Sessions = thread.Sessions,
            };
            report.SetUse(handles ? HandlerOf(thread.Index).Use : _readerGauge!.Use);
            return report;
        })];
    }

    public ThreadIntervalReport[] Read()
    {
        var threads = new List<ThreadIntervalReport>();
        if (_readerGauge is not null)
        {
            UdpThreadStatistics reader = _server.GetStatistics().Threads[0];
            threads.Add(Sample(
                ServerThreadReport.ReceiveRole, ServerThreadReport.ReaderIndex, reader.Datagrams, reader.Calls,
                reader.MinPerCall,
                reader.MaxPerCall, _readerGauge.Use));
        }

        foreach (AppHandler handler in _handlers)
        {
            CallCounters calls = handler.Counters.Calls;
            threads.Add(Sample(
                ServerThreadReport.HandleRole, handler.Shard.Index, calls.Datagrams, calls.Calls, calls.MinPerCall,
                calls.MaxPerCall, handler.Use) with
            {
                Sessions = handler.Sessions,
            });
        }

        return [.. threads];
    }

    public void Dispose() => _readerGauge?.Dispose();

    private AppHandler HandlerOf(int shardIndex) =>
        Array.Find(_handlers, handler => handler.Shard.Index == shardIndex)!;

    private static ThreadIntervalReport Sample(
        string role, int index, long datagrams, long calls, int minPerCall, int maxPerCall, ThreadUse use)
    {
        var sample = new ThreadIntervalReport
        {
            Role = role,
            Index = index,
            Datagrams = datagrams,
            Calls = calls,
            LeastPerCall = minPerCall,
            MostPerCall = maxPerCall,
        };
        sample.Cpu = use.Times.Cpu;
        sample.SetUse(use);
        return sample;
    }
}
