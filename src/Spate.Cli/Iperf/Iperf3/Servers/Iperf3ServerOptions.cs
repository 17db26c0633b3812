using System.Net;
using Spate.Cli.Iperf.Iperf3.Clients;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Servers;

/// <summary>What an <see cref="Iperf3Server"/> offers.</summary>
internal sealed record Iperf3ServerOptions
{
    /// <summary>The most tests at once.</summary>
    public const int MaxParallelTests = 256;

    /// <summary>The most clients that may wait for a test.</summary>
    public const int MaxQueueLength = 256;

    /// <summary>Where to listen, for TCP and for UDP. Default: every address, port 5201.</summary>
    public IPEndPoint Local { get; init; } = new(IPAddress.IPv6Any, Iperf3ClientOptions.DefaultPort);

    /// <summary>Tests at once, from 1 (the default) to <see cref="MaxParallelTests"/>.</summary>
    public int ParallelTests { get; init; } = 1;

    /// <summary>
    /// Clients that wait for their turn instead of being told that the server is busy; default 0, at most
    /// <see cref="MaxQueueLength"/>.
    /// </summary>
    public int QueueLength { get; init; }

    /// <summary>The server ends after one test. Default: false.</summary>
    public bool EndsAfterOne { get; init; }

    /// <summary>The server ends when it was idle for so long; zero (the default) for never.</summary>
    public TimeSpan IdleTimeout { get; init; }

    /// <summary>The highest payload rate of a test, both directions together, in bit/s; 0 (the default): any.</summary>
    public long MaxBitsPerSecond { get; init; }

    /// <summary>The time over which the rate of a running test is averaged for the limit. Default: 5 s.</summary>
    public TimeSpan RateTime { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>The longest test, in seconds; 0 (the default) for any.</summary>
    public int MaxSeconds { get; init; }

    /// <summary>How long a receiver waits for data before it gives up. Default: 120 s, as iperf3 does.</summary>
    public TimeSpan ReceiveTimeout { get; init; } = TimeSpan.FromSeconds(120);

    /// <summary>The time between two intervals; zero for a single one at the end. Default: 1 s.</summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>CPUs for the threads of the streams, used in turn; a client's wish goes before.</summary>
    public IReadOnlyList<int> Cpus { get; init => field = RecordList.Copy(value); } = RecordList.Copy<int>([]);

    /// <summary>
    /// Whether the thread of a test with one stream and one direction takes the CPU on which a bench places that end,
    /// where the client is on this host and no CPU is named: <see cref="TrafficOptions.PlacesBesidePeer"/>. Default:
    /// false.
    /// </summary>
    public bool PlacesBesidePeer { get; init; }

    /// <summary>The backend, buffers and offloads of the sockets.</summary>
    public TransportOptions Transport { get; init; } = new();

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(
        nameof(Iperf3ServerOptions), PrintMembers, (nameof(Cpus), Cpus));

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(ParallelTests, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(ParallelTests, MaxParallelTests);
        ArgumentOutOfRangeException.ThrowIfNegative(QueueLength);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(QueueLength, MaxQueueLength);
        ArgumentOutOfRangeException.ThrowIfNegative(MaxBitsPerSecond);
        ArgumentOutOfRangeException.ThrowIfNegative(MaxSeconds);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(RateTime, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(ReceiveTimeout, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(Interval, TimeSpan.Zero);
    }
}
