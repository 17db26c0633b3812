using System.Runtime.InteropServices;
using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Counting;

/// <summary>
/// What became of the datagrams of one stream, or of several streams added up. Only data datagrams are counted. Always
/// <c>Received = Unique + Duplicated + Late</c>; for a stream whose end was announced, also <c>total sent = Unique +
/// Lost + MissedBeforeFirst</c>.
/// </summary>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct SequenceCounts
{
    /// <summary>All data datagrams that arrived, copies included.</summary>
    public long Received { get; init; }

    /// <summary>Different sequences that arrived, without those counted in <see cref="Late"/>.</summary>
    public long Unique { get; init; }

    /// <summary>
    /// Missing from the lowest that arrived to the announced total, or to the highest that arrived. Falls when one
    /// arrives after all. If only the announcement arrived, the whole stream is lost.
    /// </summary>
    public long Lost { get; init; }

    /// <summary>Second and further copies of a sequence (RFC 5560), recognised within the window.</summary>
    public long Duplicated { get; init; }

    /// <summary>
    /// First copies that arrived with a sequence below the highest one seen before (RFC 4737, 3.3:
    /// Type-P-Reordered), recognised within the window.
    /// </summary>
    public long Reordered { get; init; }

    /// <summary>
    /// Datagrams so far behind the highest sequence that the window no longer knows whether they are first copies. Each
    /// is either a duplicate or a first copy that stays counted as lost, so <see cref="Lost"/> is too high by at most
    /// this count.
    /// </summary>
    public long Late { get; init; }

    /// <summary>
    /// Those of <see cref="Unique"/> that arrived later after the fastest datagram of their stream than
    /// <see cref="AccountingOptions.Deadline"/>, the drift of the clocks removed. Datagrams of the last ten seconds are
    /// judged by the drift and the fastest one that are known when this is read, earlier ones by what was known after
    /// ten seconds. None in time is counted; a late one is missed if it is late by less than 1/32 of the deadline and
    /// the drift of 125 ms. Only datagrams that carry their time of sending can be late; 0 without a deadline.
    /// </summary>
    public long AfterDeadline { get; init; }

    /// <summary>
    /// Sequences below the lowest that arrived: lost at the very beginning, or sent before this receiver listened.
    /// Nothing on the wire tells the two apart, so they are not in <see cref="Lost"/>. After
    /// <see cref="SequenceTracker.Begin"/> only those below the known first one, which were not to come.
    /// </summary>
    public long MissedBeforeFirst { get; init; }

    /// <summary>In percent of those sent from the first that arrived on; 0 if none were sent.</summary>
    public double LostPercent => 100 * Statistics.Ratio(Lost, (double)Lost + Unique);

    public static SequenceCounts operator +(SequenceCounts left, SequenceCounts right) => new()
    {
        Received = Saturating.Add(left.Received, right.Received),
        Unique = Saturating.Add(left.Unique, right.Unique),
        Lost = Saturating.Add(left.Lost, right.Lost),
        Duplicated = Saturating.Add(left.Duplicated, right.Duplicated),
        Reordered = Saturating.Add(left.Reordered, right.Reordered),
        Late = Saturating.Add(left.Late, right.Late),
        AfterDeadline = Saturating.Add(left.AfterDeadline, right.AfterDeadline),
        MissedBeforeFirst = Saturating.Add(left.MissedBeforeFirst, right.MissedBeforeFirst),
    };
}
