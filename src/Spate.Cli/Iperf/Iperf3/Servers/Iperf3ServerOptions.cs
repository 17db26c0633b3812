using System.Net;
using Spate.Cli.Iperf.Iperf3.Clients;
using Spate.Cli.Iperf.Iperf3.Flows;

namespace Spate.Cli.Iperf.Iperf3.Servers;

internal sealed record Iperf3ServerOptions : Iperf3EndOptions
{
    public const int MaxParallelTests = 256;

    public const int MaxQueueLength = 256;

    /// <summary>Where to listen, for TCP and for UDP.</summary>
    public IPEndPoint Local { get; init; } = new(IPAddress.IPv6Any, Iperf3ClientOptions.DefaultPort);

    public int ParallelTests { get; init; } = 1;

    /// <summary>Clients that may wait for their turn instead of being told that the server is busy.</summary>
    public int QueueLength { get; init; }

    public bool EndsAfterOne { get; init; }

    /// <summary>The server ends when it was idle for so long; zero for never.</summary>
    public TimeSpan IdleTimeout { get; init; }

    /// <summary>The highest payload rate of a test, both directions together; 0 for any.</summary>
    public long MaxBitsPerSecond { get; init; }

    /// <summary>The time over which a running test's rate is averaged for the limit.</summary>
    public TimeSpan RateTime { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>The longest test; 0 for any.</summary>
    public int MaxSeconds { get; init; }

    internal override void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(ParallelTests, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(ParallelTests, MaxParallelTests);
        ArgumentOutOfRangeException.ThrowIfNegative(QueueLength);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(QueueLength, MaxQueueLength);
        ArgumentOutOfRangeException.ThrowIfNegative(MaxBitsPerSecond);
        ArgumentOutOfRangeException.ThrowIfNegative(MaxSeconds);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(RateTime, TimeSpan.Zero);
        base.Validate();
    }
}
