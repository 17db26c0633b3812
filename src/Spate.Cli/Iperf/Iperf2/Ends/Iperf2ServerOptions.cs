using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf2.Ends;

internal sealed record Iperf2ServerOptions
{
    public const int MaxMaxFlows = 1024;

    private static readonly TimeSpan MinInterval = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan MaxInterval = TimeSpan.FromDays(1);

    public UdpEndPoint Local { get; init; } = UdpEndPoint.Any(Iperf2ClientOptions.DefaultPort);

    /// <summary>
    /// Flows followed at once, 1 to 1024; each takes up to 64 KiB. When there is no room, a new one takes the place of
    /// one that has ended or of the longest silent one.
    /// </summary>
    public int MaxFlows { get; init; } = 128;

    /// <summary>The time between two reports of a flow, 1 ms to a day; zero for none.</summary>
    public TimeSpan Interval { get; init; }

    /// <summary>
    /// Whether a client that asks for it (<c>-d</c>, <c>-r</c>) is sent a test back. Unsafe where strangers can send:
    /// without a handshake, two datagrams with a forged address make the server send for a minute, at the default
    /// limit 750 MB, to a host that never asked. Four flows run at a time, those to one address at
    /// <see cref="MaxReverseBitsPerSecond"/> at most together.
    /// </summary>
    public bool AllowReverse { get; init; }

    /// <summary>The most bits of payload that are sent back to an address in a second, from 1 on.</summary>
    public long MaxReverseBitsPerSecond { get; init; } = 100_000_000;

    public TransportOptions Transport { get; init; } = new();

    /// <summary>The only address whose flows are followed; the default for all.</summary>
    internal UdpAddress OnlyFrom { get; init; }

    internal int NamedBefore { get; init; }

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxReverseBitsPerSecond, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxFlows, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxFlows, MaxMaxFlows);
        if (Interval == TimeSpan.Zero) return;

        // A flow's first interval may end long before its second datagram arrives, and all up to then are counted.
        ArgumentOutOfRangeException.ThrowIfLessThan(Interval, MinInterval);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Interval, MaxInterval);
    }
}
