using System.Net;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Results;

/// <summary>What both ends say at the end of a test.</summary>
internal sealed record Iperf3Outcome : IperfEvent
{
    /// <summary>In the order of <see cref="IperfTest.Streams"/>.</summary>
    public required IReadOnlyList<Iperf3StreamOutcome> Streams { get; init; }

    public required Iperf3Cpu LocalCpu { get; init; }

    public required Iperf3Cpu RemoteCpu { get; init; }

    /// <summary>What the server has printed, a stranger's text; null if it was not asked for or JSON.</summary>
    public string? ServerText { get; init; }

    public string? ServerJson { get; init; }

    public required IReadOnlyList<Iperf3Direction> Directions { get; init; }

    public IReadOnlyList<string> Notes { get; init; } = [];

    public required TestEndReport Local { get; init; }

    /// <summary>What the other end measured; null where it is iperf3.</summary>
    public TestEndReport? Remote { get; init; }
}

/// <summary>What both ends counted of a stream, without what was omitted.</summary>
internal sealed record Iperf3StreamOutcome
{
    public required IperfCounts Sent { get; init; }

    public required double SentSeconds { get; init; }

    public required IperfCounts Received { get; init; }

    public required double ReceivedSeconds { get; init; }
}

/// <summary>
/// What became of one direction's datagrams, omitted ones included. Where the receiver is iperf3, its bytes tell how
/// many arrived, copies included.
/// </summary>
internal sealed record Iperf3Direction
{
    /// <summary>Whether the receiver is this program, so that the figures are exact.</summary>
    public required bool IsExact { get; init; }

    /// <summary>Datagrams that the sender's system took.</summary>
    public required long Sent { get; init; }

    /// <summary>
    /// A loss at the tail is in it, except where the server sends to an iperf3: that sender goes on until it hears of
    /// the end, so <see cref="AfterEnd"/> is in no figure of it.
    /// </summary>
    public required TestDirectionReport Account { get; init; }

    /// <summary>Copies that arrived; null where the receiver is iperf3, which cannot tell.</summary>
    public required long? Duplicated { get; init; }

    /// <summary>Datagrams after one with a higher number; null where the receiver is iperf3.</summary>
    public required long? Reordered { get; init; }

    /// <summary>
    /// Datagrams in no figure of iperf3: above the highest number that it knows, since they left or arrived after the
    /// end was told, or were lost at the tail.
    /// </summary>
    public required long AfterEnd { get; init; }

    public required long ReferenceLost { get; init; }

    /// <summary>Datagrams out of order by iperf3's way of counting, copies included.</summary>
    public required long ReferenceOutOfOrder { get; init; }

    /// <summary>The datagrams that iperf3's way of counting knows of: the receiver's highest number.</summary>
    public required long ReferencePackets { get; init; }
}

/// <summary>A test that has been agreed on and whose streams exist.</summary>
internal sealed record Iperf3Test : IperfTest
{
    public required bool IsClient { get; init; }

    /// <summary>The length is never 0.</summary>
    public required Iperf3Parameters Parameters { get; init; }

    /// <summary>36 characters, for a server those that a stranger sent.</summary>
    public required string Cookie { get; init; }

    /// <summary>Of the control connection, as <see cref="Remote"/>; both are IPv4 where they can be.</summary>
    public required IPEndPoint Local { get; init; }

    public required IPEndPoint Remote { get; init; }

    /// <summary>The MSS of the control connection; 0 where it is not known.</summary>
    public required int MaxSegmentBytes { get; init; }

    public required DateTimeOffset StartedAt { get; init; }

    public required int SendBufferBytes { get; init; }

    public required int ReceiveBufferBytes { get; init; }
}
