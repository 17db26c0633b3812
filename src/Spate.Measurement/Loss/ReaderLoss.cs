using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;

namespace Spate.Measurement.Loss;

/// <summary>
/// Shares out what this direction's sockets dropped among the threads that read them, and judges each thread by its own
/// schedule: of 64 threads one that cannot run is not hidden by the others.
/// </summary>
internal sealed class ReaderLoss
{
    // A reader that waits for a CPU now and then is what the buffer is for; one that waits a fifth of the time has no
    // CPU to itself, and no buffer is large enough.
    private const double MinWaitingShare = 0.2;

    // More than any socket drops; it keeps a product with a count of datagrams within 128 bits.
    private const long MaxDrops = 1L << 40;

    private long _maxAwayLost;
    private long _maxPresentLost;

    /// <summary>Receiving threads; 1 where nothing is known of them.</summary>
    public int Count { get; private init; } = 1;

    public int AwayCount { get; private set; }

    public long AwayLost { get; private set; }

    /// <summary>Of the threads that were away, the one whose socket dropped most.</summary>
    public ReaderSchedule Away { get; private set; } = new();

    /// <summary>Of the other threads, the one whose socket dropped most.</summary>
    public ReaderSchedule Present { get; private set; } = new();

    public static ReaderLoss Of(LossEvidence evidence, long lost)
    {
        IReadOnlyList<ReaderSchedule> readers = evidence.Readers.Count > 0 ? evidence.Readers : [new()];
        var judged = new ReaderLoss { Count = readers.Count };

        // Where no socket tells its own drops, all threads are taken to have lost the same.
        bool areDropsKnown = readers.Any(static reader => reader.Drops > 0);
        Int128 drops = areDropsKnown ? Sum(readers) : readers.Count;
        (Int128 counted, long given) = (0, 0);
        foreach (ReaderSchedule reader in readers)
        {
            counted += areDropsKnown ? Bounded(reader.Drops) : 1;
            var until = (long)(lost * counted / drops);
            judged.Add(reader, until - given, evidence);
            given = until;
        }

        return judged;
    }

    private static Int128 Sum(IReadOnlyList<ReaderSchedule> readers)
    {
        Int128 sum = 0;
        foreach (ReaderSchedule reader in readers) sum += Bounded(reader.Drops);

        return sum;
    }

    private static long Bounded(long? drops) => Math.Clamp(drops ?? 0, 0, MaxDrops);

    private void Add(ReaderSchedule reader, long lost, LossEvidence evidence)
    {
        if (IsAway(reader, lost, evidence))
        {
            AwayCount++;
            AwayLost += lost;
            if (lost > _maxAwayLost) (_maxAwayLost, Away) = (lost, reader);
        }
        else if (lost > _maxPresentLost)
        {
            (_maxPresentLost, Present) = (lost, reader);
        }
    }

    // Arrivals while the thread could not run explain at least half of what its socket dropped.
    private static bool IsAway(ReaderSchedule reader, long lost, LossEvidence evidence)
    {
        if (lost == 0 || !(evidence.Seconds > 0)) return false;

        double waited = reader.WaitingSeconds;
        double waiting = waited / evidence.Seconds >= MinWaitingShare ? waited : 0;
        double away = Math.Min(evidence.Seconds, evidence.StoppedSeconds + waiting);
        long arrived = Saturating.Add(Math.Max(0, reader.Datagrams), lost);
        return away > 0 && 2 * away / evidence.Seconds * arrived >= lost;
    }
}
