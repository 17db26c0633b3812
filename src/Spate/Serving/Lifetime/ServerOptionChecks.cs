using Spate.Sockets;

namespace Spate.Serving.Lifetime;

/// <summary>Throws if an option of a server is out of its range, before the server opens anything.</summary>
internal static class ServerOptionChecks
{
    private const int MaxEndPointCount = 64;
    private const int MaxBatchCount = 1024;
    private const int MaxWakeThreshold = 1 << 20;

    private static readonly TimeSpan MaxTime = TimeSpan.FromMilliseconds(int.MaxValue);

    public static void Check(UdpServerOptions options)
    {
        ArgumentNullException.ThrowIfNull(options.LocalEndPoints, nameof(options.LocalEndPoints));
        ArgumentNullException.ThrowIfNull(options.CpuIndexes, nameof(options.CpuIndexes));
        ArgumentNullException.ThrowIfNull(options.Socket, nameof(options.Socket));
        ArgumentNullException.ThrowIfNull(options.Receive, nameof(options.Receive));
        ArgumentNullException.ThrowIfNull(options.Replies, nameof(options.Replies));
        OptionChecks.RequireNamed(options.Design, nameof(options.Design));
        OptionChecks.RequireNamed(options.Wait, nameof(options.Wait));
        OptionChecks.RequireNamed(options.Steering, nameof(options.Steering));
        OptionChecks.RequireName(options.Name, nameof(options.Name));
        CheckEndPoints(options.LocalEndPoints, nameof(options.LocalEndPoints));
        OptionChecks.RequireRange(
            options.ThreadCount ?? 1, 1, ResolvedServerOptions.MaxThreadCount, nameof(options.ThreadCount));
        OptionChecks.RequireRange(options.WakeThreshold, 1, MaxWakeThreshold, nameof(options.WakeThreshold));
        OptionChecks.RequireRange(options.BatchCount ?? 2, 2, MaxBatchCount, nameof(options.BatchCount));
        foreach (int cpuIndex in options.CpuIndexes)
            OptionChecks.RequireRange(cpuIndex, 0, int.MaxValue, nameof(options.CpuIndexes));
        if (options.TickInterval is { } tickInterval)
        {
            CheckTime(tickInterval, TimeSpan.FromMilliseconds(1), nameof(options.TickInterval));
        }
        CheckTime(options.ReplyTimeout, TimeSpan.Zero, nameof(options.ReplyTimeout));
        bool needsFilter = options.Steering is UdpSteering.FlowHash or UdpSteering.Cpu or UdpSteering.Spread;
        if (needsFilter && !OperatingSystem.IsLinux())
        {
            throw new PlatformNotSupportedException(
                $"Steering by {options.Steering} is possible on Linux only: leave Steering at Automatic.");
        }
    }

    private static void CheckEndPoints(IReadOnlyList<UdpEndPoint> endPoints, string name)
    {
        if (endPoints.Count is < 1 or > MaxEndPointCount)
        {
            throw new ArgumentException($"A server has 1 to {MaxEndPointCount} local end points.", name);
        }
        HashSet<UdpEndPoint> seen = [];
        foreach (UdpEndPoint endPoint in endPoints)
        {
            if (endPoint.IsDefault)
            {
                throw new ArgumentException("A local end point is an address, like UdpEndPoint.Any(9999).", name);
            }
            if (!seen.Add(endPoint) && endPoint.Port != 0)
            {
                throw new ArgumentException($"The local end point {endPoint} is named twice: once is enough.", name);
            }
        }
    }

    private static void CheckTime(TimeSpan value, TimeSpan min, string name)
    {
        if (value >= min && value <= MaxTime) return;
        throw new ArgumentOutOfRangeException(
            name, value, $"{name} is {min.TotalMilliseconds} to {MaxTime.TotalMilliseconds} ms.");
    }
}
