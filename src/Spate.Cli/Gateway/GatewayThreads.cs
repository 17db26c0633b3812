using Spate.Gateway;
using Spate.Measurement.HostUse;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Cli.Gateway;

/// <summary>
/// Where a gateway used CPU time: the threads that receive, each measured, and the pool threads that publish, whose
/// time is the rest of the process's. One thread at a time.
/// </summary>
internal sealed class GatewayThreads : IDisposable
{
    private readonly UdpThreadStatistics[] _threads;
    private readonly ThreadGauges _gauges;
    private ThreadIntervalReport[] _last;
    private double _lastCpuSeconds;

    public GatewayThreads(UdpGateway gateway)
    {
        _threads = [.. gateway.GetStatistics().Server.Threads];
        _gauges = new ThreadGauges(_threads.Select(static thread => thread.SystemThreadId ?? 0));
        _last = Read();
    }

    /// <summary>The work since the last call, or since the making.</summary>
    /// <param name="cpuSeconds">CPU time of the process since the making.</param>
    public CpuAttribution TakePlaces(double cpuSeconds)
    {
        ThreadIntervalReport[] now = Read();

        // The pool's threads come and go, so any CPU may work for the run.
        var places = new CpuAttribution { HasUnknownThreads = true };
        double others = 1e9 * (cpuSeconds - _lastCpuSeconds);
        bool isMeasured = true;
        for (int i = 0; i < now.Length; i++)
        {
            ThreadIntervalReport thread = now[i].Since(_last[i]);
            places.AddThread(thread, _threads[i].Cpu);
            others -= thread.CpuNanoseconds ?? 0;
            isMeasured &= thread.CpuNanoseconds is not null;
        }

        if (isMeasured) places.AddMovable((long)Math.Max(0, others));
        (_last, _lastCpuSeconds) = (now, cpuSeconds);
        return places;
    }

    public void Dispose() => _gauges.Dispose();

    private ThreadIntervalReport[] Read() => [.. _gauges.Read().Select((use, i) =>
    {
        var thread = new ThreadIntervalReport
        {
            Role = ServerThreadReport.HandleRole,
            Index = _threads[i].ShardIndex ?? ServerThreadReport.ReaderIndex,
            Cpu = use.Times.Cpu,
        };
        thread.SetUse(use);
        return thread;
    })];
}
