using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf3.Results;

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
