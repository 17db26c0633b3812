using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Results;

/// <summary>
/// What became of the datagrams of one direction, omitted ones included. Where the receiver is this program, every
/// datagram is accounted for by its number. Where it is iperf3, its bytes tell how many arrived, copies included.
/// </summary>
internal sealed record Iperf3Direction
{
    /// <summary>Whether the receiver is this program, so that the figures are exact.</summary>
    public required bool IsExact { get; init; }

    /// <summary>Datagrams that the sender's system took, all of them.</summary>
    public required long Sent { get; init; }

    /// <summary>
    /// What was sent, arrived and is missing, where and why. A loss at the tail is in it, except where the server sends
    /// to an iperf3: that sender goes on until it hears of the end, so <see cref="AfterEnd"/> is in no figure of it.
    /// </summary>
    public required TestDirectionReport Account { get; init; }

    /// <summary>Copies of datagrams that arrived; null where the receiver is iperf3, which cannot tell.</summary>
    public required long? Duplicated { get; init; }

    /// <summary>Datagrams that came after one with a higher number; null where the receiver is iperf3.</summary>
    public required long? Reordered { get; init; }

    /// <summary>
    /// Datagrams between the highest number that iperf3's way of counting knows and the sender's total: they left or
    /// arrived after the end of the test was told, or were lost at the tail. iperf3 has them in no figure.
    /// </summary>
    public required long AfterEnd { get; init; }

    /// <summary>Datagrams that the receiver counts as lost by iperf3's way of counting.</summary>
    public required long ReferenceLost { get; init; }

    /// <summary>Datagrams out of order by iperf3's way of counting, copies included.</summary>
    public required long ReferenceOutOfOrder { get; init; }

    /// <summary>The datagrams that iperf3's way of counting knows of: the receiver's highest number.</summary>
    public required long ReferencePackets { get; init; }
}
