using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf2.Ends;

/// <summary>What an <see cref="Iperf2Server"/> does.</summary>
internal sealed record Iperf2ServerOptions
{
    /// <summary>The most flows that a server may be told to follow at once.</summary>
    public const int MaxMaxFlows = 1024;

    private static readonly TimeSpan MinInterval = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan MaxInterval = TimeSpan.FromDays(1);

    /// <summary>Where to listen. Default: port 5001 of any IPv4 address.</summary>
    public UdpEndPoint Local { get; init; } = UdpEndPoint.Any(Iperf2ClientOptions.DefaultPort);

    /// <summary>
    /// Flows that are followed at once, 1 to 1024; each takes up to 64 KiB. When there is no room, a new one takes the
    /// place of one that has ended or of the longest silent one. Default: 128.
    /// </summary>
    public int MaxFlows { get; init; } = 128;

    /// <summary>
    /// Time between two interval reports of a flow, 1 ms to a day; zero (the default) for none.
    /// </summary>
    public TimeSpan Interval { get; init; }

    /// <summary>
    /// Whether a client that asks for it (<c>-d</c>, <c>-r</c>) is sent a test back. Default: false, and leave it so
    /// where strangers can send to the server. The protocol has no handshake: two datagrams with a forged address make
    /// the server send for a minute, at the default limit 750 MB, to a host that never asked. Four flows are sent at
    /// a time, those to one address at <see cref="MaxReverseBitsPerSecond"/> at most together, and one ends where its
    /// host answers after the first second that nothing listens there.
    /// </summary>
    public bool AllowReverse { get; init; }

    /// <summary>
    /// The highest rate of what is sent back to an address, in bits of payload per second, from 1 on; a client that
    /// names no rate gets <see cref="Iperf2ClientOptions.DefaultBitsPerSecond"/>. Default: 100,000,000.
    /// </summary>
    public long MaxReverseBitsPerSecond { get; init; } = 100_000_000;

    /// <summary>The backend, buffers, offloads and traffic class of the socket.</summary>
    public TransportOptions Transport { get; init; } = new();

    /// <summary>The only address whose flows are followed; the default for all.</summary>
    internal UdpAddress OnlyFrom { get; init; }

    /// <summary>Numbers of flows that others have.</summary>
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
