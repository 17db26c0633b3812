using System.Globalization;
using System.Runtime.InteropServices;
using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Counting;

/// <summary>One sender's flow at its receiver. Used on the thread of its <see cref="StreamTable"/>.</summary>
internal sealed class TestStream
{
    private readonly SequenceTracker _tracker;
    private DelayFloor? _floor;
    private DeadlineCounter? _deadlineCounter;
    private long _receivedAtCheck;
    private long _heardTicks;

    internal TestStream(ulong id, int windowSequences)
    {
        Id = id;
        _tracker = new SequenceTracker(windowSequences);
    }

    public ulong Id { get; private set; }

    /// <summary>Payload bytes of all data datagrams that arrived, copies included.</summary>
    public long Bytes { get; private set; }

    public bool Ended => _tracker.Ended;

    public SequenceCounts Counts => _tracker.Counts with { AfterDeadline = _deadlineCounter?.Count ?? 0 };

    public SequenceLengths Lengths => _tracker.Lengths;

    public void Begin(long first) => _tracker.Begin(first);

    internal void AddRun(in SequenceRun run, long deadlineNanoseconds, DelaySamples delays)
    {
        long unique = _tracker.AddRun(run.First.Sequence, run.Count);
        Bytes += (long)run.PayloadBytes * run.Count;
        if (run.First.SentNanoseconds == 0 || run.ArrivalNanoseconds == 0) return;

        long delay = run.ArrivalNanoseconds - run.First.SentNanoseconds;
        if (_floor is null)
        {
            _floor = new DelayFloor();
            if (deadlineNanoseconds < AccountingOptions.NoDeadlineNanoseconds)
            {
                _deadlineCounter = new DeadlineCounter(_floor, deadlineNanoseconds);
            }
        }

        _floor.Add(run.ArrivalNanoseconds, delay);
        _deadlineCounter?.Add(run.ArrivalNanoseconds, delay, (int)unique);
        delays.Add(_floor, run.ArrivalNanoseconds, delay, run.Count);
    }

    internal void End(long total) => _tracker.End(total);

    /// <summary>No clock is read per datagram: the latest check that found more of them counts.</summary>
    internal bool IsSilent(long nowTicks, TimeProvider time, TimeSpan patience)
    {
        long received = _tracker.Counts.Received;
        if (received != _receivedAtCheck) (_receivedAtCheck, _heardTicks) = (received, nowTicks);
        return time.GetElapsedTime(_heardTicks, nowTicks) >= patience;
    }

    internal void Reuse(ulong id)
    {
        Id = id;
        Bytes = 0;
        _floor = null; // samples still refer to it
        _deadlineCounter = null;
        _receivedAtCheck = 0;
        _tracker.Reset();
    }
}

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

/// <summary>One flow of a run, by <see cref="SequenceCounts"/>; the nullable counts are null at a sender.</summary>
internal sealed class StreamReport
{
    /// <summary>As 16 hexadecimal digits, because JSON readers round large numbers to doubles.</summary>
    public string StreamId { get; set; } = "";

    /// <summary>Datagrams sent, or received with all copies.</summary>
    public long Datagrams { get; set; }

    public long Bytes { get; set; }

    public long? Unique { get; set; }

    public long? Lost { get; set; }

    public long? Duplicated { get; set; }

    public long? Reordered { get; set; }

    public long? Late { get; set; }

    public long? MissedBeforeFirst { get; set; }

    /// <summary>Whether the end was announced, so that a loss at the tail is counted.</summary>
    public bool Ended { get; set; }

    public static StreamReport From(TestStream stream)
    {
        SequenceCounts counts = stream.Counts;
        return new StreamReport
        {
            StreamId = stream.Id.ToString("x16", CultureInfo.InvariantCulture),
            Datagrams = counts.Received,
            Bytes = stream.Bytes,
            Unique = counts.Unique,
            Lost = counts.Lost,
            Duplicated = counts.Duplicated,
            Reordered = counts.Reordered,
            Late = counts.Late,
            MissedBeforeFirst = counts.MissedBeforeFirst,
            Ended = stream.Ended,
        };
    }

    internal static List<StreamReport> AllOf(StreamTable table)
    {
        var reports = new List<StreamReport>();
        foreach (TestStream stream in table.Streams) reports.Add(From(stream));
        return reports;
    }
}
