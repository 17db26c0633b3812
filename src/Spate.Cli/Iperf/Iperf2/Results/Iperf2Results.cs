using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.Measurement.Counting;

namespace Spate.Cli.Iperf.Iperf2.Results;

/// <summary>What became of a flow at its server.</summary>
internal sealed record Iperf2Received : IperfEvent
{
    public required IperfStream Stream { get; init; }

    /// <summary>From the first datagram to the last.</summary>
    public required double Seconds { get; init; }

    public required Iperf2End End { get; init; }

    /// <summary>The figures as iperf 2 has them.</summary>
    public required IperfCounts Counts { get; init; }

    /// <summary>The exact figures of the data datagrams, without the one that ended the flow.</summary>
    public required SequenceCounts Exact { get; init; }

    /// <summary>Payload bytes of the data datagrams, copies included.</summary>
    public required long ExactBytes { get; init; }

    /// <summary>
    /// Different numbers that did not arrive. After a loss at the end it may include copies of what ends the flow,
    /// since iperf 2.1.8 numbers each copy anew.
    /// </summary>
    public required long Lost { get; init; }

    /// <summary>Those of <see cref="Lost"/> whose number is below the first that arrived.</summary>
    public required long LostBeforeFirst { get; init; }

    /// <summary>Drops of all flows together, in units of the system; null where it does not tell.</summary>
    public long? SocketDrops { get; init; }

    /// <summary>False for an end too short to be answered, or no end at all.</summary>
    public bool IsAnswered { get; init; }
}

internal enum Iperf2End
{
    /// <summary>Its client ended it, so how many were sent is known.</summary>
    Finished,

    /// <summary>Nothing came for <c>Iperf2Server.Patience</c>.</summary>
    Silent,

    /// <summary>It was silent, and another flow needed its place.</summary>
    Replaced,

    Stopped,
}

/// <summary>What became of a flow at its client.</summary>
internal sealed record Iperf2Sent
{
    public required IperfStream Stream { get; init; }

    /// <summary>From the first datagram on until the last one's time was over.</summary>
    public required double Seconds { get; init; }

    /// <summary>Datagrams that left, without those that end the flow.</summary>
    public required long Datagrams { get; init; }

    public required long Bytes { get; init; }

    /// <summary>Datagrams that the system refused; their numbers are lost at the server.</summary>
    public long Refused { get; init; }

    /// <summary>Datagrams sent to end the flow.</summary>
    public int EndTries { get; init; }

    public Iperf2ServerReport? Report { get; init; }

    /// <summary>Data datagrams, with copies, by the bytes of <see cref="Report"/>; null if those do not tell.</summary>
    public long? Arrived { get; init; }

    /// <summary>Whether the other host said that nothing listens there.</summary>
    public bool IsPortClosed { get; init; }
}

/// <summary>What a client sent has ended, or a test that a server sent back.</summary>
internal sealed record Iperf2SendReport(IReadOnlyList<Iperf2Sent> Flows) : IperfEvent;
