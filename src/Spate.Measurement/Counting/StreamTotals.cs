using System.Runtime.InteropServices;
using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Counting;

/// <summary>The sums of all that a <see cref="StreamTable"/> has counted.</summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct StreamTotals
{
    /// <summary>Streams that were followed, including those that ended and made room.</summary>
    public long Streams { get; init; }

    public long EndedStreams { get; init; }

    public SequenceCounts Counts { get; init; }

    /// <summary>Payload bytes of all data datagrams of the streams that were followed, copies included.</summary>
    public long Bytes { get; init; }

    public long OtherDatagrams { get; init; }

    /// <summary>
    /// Datagrams with the magic of a test header that are neither data nor announcements of a version known here
    /// (<see cref="TestDatagramKind.Unknown"/>). They count as nothing else.
    /// </summary>
    public long UnknownDatagrams { get; init; }

    /// <summary>
    /// Data datagrams whose checksum was wrong or missing; 0 unless <see cref="AccountingOptions.Verify"/> is set. They
    /// count in no stream, so their sequences are lost unless another copy arrives.
    /// </summary>
    public long Corrupted { get; init; }

    /// <summary>
    /// Different streams for which there was no room. Exact up to <see cref="StreamTable.MaxUntrackedStreams"/>,
    /// where the count stops.
    /// </summary>
    public long UntrackedStreams { get; init; }

    /// <summary>Data datagrams of streams for which there was no room; their loss is unknown.</summary>
    public long UntrackedDatagrams { get; init; }

    /// <summary>Senders of datagrams without a test header that announced how many they sent.</summary>
    public long UnnumberedSenders { get; init; }

    /// <summary>Datagrams that these senders announced; what arrived is in <see cref="OtherDatagrams"/>.</summary>
    public long UnnumberedSent { get; init; }

    public static StreamTotals operator +(StreamTotals left, StreamTotals right) => new()
    {
        Streams = left.Streams + right.Streams,
        EndedStreams = left.EndedStreams + right.EndedStreams,
        Counts = left.Counts + right.Counts,
        Bytes = left.Bytes + right.Bytes,
        OtherDatagrams = left.OtherDatagrams + right.OtherDatagrams,
        UnknownDatagrams = left.UnknownDatagrams + right.UnknownDatagrams,
        Corrupted = left.Corrupted + right.Corrupted,
        UntrackedStreams = left.UntrackedStreams + right.UntrackedStreams,
        UntrackedDatagrams = left.UntrackedDatagrams + right.UntrackedDatagrams,
        UnnumberedSenders = left.UnnumberedSenders + right.UnnumberedSenders,
        UnnumberedSent = Saturating.Add(left.UnnumberedSent, right.UnnumberedSent),
    };
}
