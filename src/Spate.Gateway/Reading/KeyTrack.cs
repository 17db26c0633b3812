using Spate.Gateway.Format;

namespace Spate.Gateway.Reading;

/// <summary>
/// What was read of one key. A number is accounted for when its datagram was read or an accounting message named it as
/// dropped; what is left out is judged at the end, by <see cref="KeyJudge"/>. One thread at a time.
/// </summary>
/// <remarks>
/// What a gateway promises, and the judgement rests on: a key's messages are published in order, and again in order
/// after a lost connection. So a number is left out for good when a higher one was read, unless the broker refused the
/// message. An accounting message is written when it is published, so that it names every range that was dropped
/// before, or has the flag More.
/// </remarks>
/// <param name="key">The key.</param>
/// <param name="stream">The index of the stream that it is in.</param>
/// <param name="isFromStart">Whether the message that is about to be added is the key's very first.</param>
/// <param name="numbers">What the sets of all keys share.</param>
/// <param name="gaps">What the lists of dropped ranges share.</param>
internal sealed class KeyTrack(
    GatewayKey key, int stream, bool isFromStart, IntervalBudget numbers, IntervalBudget gaps)
{
    // Further cuts are joined, and what is between them then counts as cut off too.
    private const int MaxCuts = 16;

    private static readonly int ReasonCount = Enum.GetValues<GatewayDropReason>().Length;

    private readonly ulong[] _droppedFor = new ulong[ReasonCount];
    private readonly IntervalSet _cuts = new(new IntervalBudget(MaxCuts), MaxCuts);

    // Where a cut begins that no accounting message was read after.
    private ulong? _openCut = isFromStart ? null : 0;

    public GatewayKey Key => key;

    public int Stream => stream;

    /// <summary>The datagrams that were read, or named as dropped.</summary>
    public IntervalSet Accounted { get; } = new(numbers);

    /// <summary>The ranges that accounting messages named as dropped.</summary>
    public GapList Dropped { get; } = new(gaps);

    /// <summary>Whether messages before the first one read may have been there.</summary>
    public bool IsHeadCut { get; } = !isFromStart;

    /// <summary>The first number that is verified; null as long as the head is cut and no datagram was read.</summary>
    public ulong? First { get; private set; } = isFromStart ? 0 : null;

    /// <summary>One more than the highest number read.</summary>
    public ulong Next { get; private set; }

    public long Messages { get; private set; }

    public ulong Datagrams { get; private set; }

    public ulong Duplicates { get; private set; }

    public ulong Reordered { get; private set; }

    public long AccountingMessages { get; private set; }

    /// <summary>Whether the accounting message that ends the key was read.</summary>
    public bool IsEnded { get; private set; }

    /// <summary>What the last accounting message says was accepted.</summary>
    public ulong LastAccepted { get; private set; }

    /// <summary>The totals of the last accounting message.</summary>
    public AccountingTotals LastTotals { get; private set; }

    /// <summary>The time of the last accounting message, by which a second copy of one is recognised.</summary>
    public long LastTime { get; private set; } = -1;

    /// <summary>
    /// What <see cref="Next"/> was when the last accounting message was read that left nothing dropped unsaid: gaps
    /// below it would have been named.
    /// </summary>
    public ulong SaidUpTo { get; private set; }

    /// <summary>Whether the last accounting message leaves dropped ranges to a later one.</summary>
    public bool HasUnsaid { get; private set; }

    /// <summary>
    /// The most by which an accounting message said more datagrams were committed than had been read by then. What is
    /// confirmed lies in the stream before the accounting message that counts it.
    /// </summary>
    public ulong CommittedUnread { get; private set; }

    public ulong DroppedFor(GatewayDropReason reason) => _droppedFor[(int)reason];

    /// <summary>
    /// Divides numbers by whether what was cut off may have held or named them, so that nothing can be said of them.
    /// </summary>
    public IEnumerable<(ulong First, ulong Count, bool IsCut)> DivideAtCuts(ulong first, ulong end)
    {
        ulong closedEnd = Math.Clamp(_openCut ?? end, first, end);
        foreach ((ulong First, ulong Count, bool IsCut) part in _cuts.Parts(first, closedEnd)) yield return part;
        if (closedEnd < end) yield return (closedEnd, end - closedEnd, true);
    }

    /// <summary>Notes that retention has removed messages before they were read.</summary>
    public void Cut()
    {
        // What an accounting message that was read would have named stays missing, and after the last accounting
        // message nothing follows.
        if (!IsEnded) _openCut ??= SaidUpTo;
    }

    /// <summary>Adds the datagrams of a message.</summary>
    public void AddRecords(ulong first, ulong count)
    {
        Messages++;
        if (count == 0) return;
        First ??= first;

        // Where the head is cut, a message that is sent again may be the first copy that is left of it.
        ulong low = Math.Max(first, First.Value);
        ulong high = Math.Min(first + count, Next);
        if (low < high) Reordered += high - low - Accounted.CountIn(low, high);
        ulong fresh = Accounted.Add(first, count);
        Datagrams += fresh;
        Duplicates += count - fresh;
        Next = Math.Max(Next, first + count);
    }

    /// <summary>Adds an accounting message, or a copy of one.</summary>
    public void AddAccountingMessage(AccountingMessage message)
    {
        Messages++;
        for (int i = 0; i < message.RangeCount; i++) AddDropped(message.Range(i));

        // A copy says nothing new. It must not count as said later than it was: what was dropped between the first
        // copy and this one is named in the next accounting message only.
        if (message.Time <= LastTime) return;
        CloseCut(message.Accepted);
        AccountingMessages++;
        LastTime = message.Time;
        LastAccepted = message.Accepted;
        LastTotals = message.Totals;
        IsEnded |= (message.Flags & PackFlags.End) != PackFlags.None;
        HasUnsaid = (message.Flags & PackFlags.More) != PackFlags.None;
        if (!HasUnsaid) SaidUpTo = Next;
        if (!IsHeadCut && _cuts.IntervalCount == 0 && LastTotals.Committed > Datagrams)
        {
            CommittedUnread = Math.Max(CommittedUnread, LastTotals.Committed - Datagrams);
        }
    }

    // Accounting messages before this one named numbers below what it says was accepted.
    private void CloseCut(ulong accepted)
    {
        if (_openCut is not { } first) return;
        if (accepted > first) _ = _cuts.Add(first, accepted - first);
        _openCut = null;
    }

    // Said and read at once happens: a message that the broker refused, but one of its nodes kept. It counts as read.
    private void AddDropped(DroppedRange range)
    {
        foreach ((ulong first, ulong count) in Accounted.Gaps(range.First, range.First + range.Count))
        {
            Dropped.Add(first, count, range.Reason);
        }

        // At once, so that a range over many gaps is one change of the set.
        _droppedFor[(int)range.Reason] += Accounted.Add(range.First, range.Count);
    }
}

/// <summary>Says what the numbers mean that a key has left out. Pure over what was read.</summary>
internal static class KeyJudge
{
    /// <summary>The findings of a key.</summary>
    /// <param name="track">What was read.</param>
    /// <param name="isSuperseded">Whether a later run of the same gateway was read.</param>
    public static GatewayKeyFindings Judge(KeyTrack track, bool isSuperseded)
    {
        var gaps = new List<GatewayFinding>(track.Dropped.Gaps);
        long omitted = track.Dropped.Omitted;
        var sums = new long[Enum.GetValues<GatewayFindingKind>().Length];
        foreach (GatewayFinding gap in Judge(track))
        {
            sums[(int)gap.Kind] += gap.Count;
            if (gaps.Count < 2 * GapList.MaxCount) gaps.Add(gap);
            else omitted++;
        }

        return new GatewayKeyFindings
        {
            Key = track.Key,
            State = track.IsEnded ? GatewayEpochState.Ended
                : isSuperseded ? GatewayEpochState.Superseded
                : GatewayEpochState.Open,
            IsHeadCut = track.IsHeadCut,
            FirstSequence = Signed(track.First ?? track.Next),
            NextSequence = Signed(track.Next),
            Messages = track.Messages,
            Datagrams = Signed(track.Datagrams),
            Duplicates = Signed(track.Duplicates),
            Reordered = Signed(track.Reordered),
            LastAccepted = Signed(track.LastAccepted),
            LastCommitted = Signed(track.LastTotals.Committed),
            DroppedWindowFull = Signed(track.DroppedFor(GatewayDropReason.WindowFull)),
            DroppedRefused = Signed(track.DroppedFor(GatewayDropReason.Refused)),
            DroppedOversized = Signed(track.DroppedFor(GatewayDropReason.Oversized)),
            DroppedShutdown = Signed(track.DroppedFor(GatewayDropReason.Shutdown)),
            Missing = sums[(int)GatewayFindingKind.Missing],
            CommittedMissing = Signed(CommittedMissing(track)),
            Unexplained = sums[(int)GatewayFindingKind.Unexplained],
            Unsettled = sums[(int)GatewayFindingKind.Unsettled],
            CutOff = sums[(int)GatewayFindingKind.CutOff],
            Undecided = Signed(track.Accounted.Forgotten),
            NotAllowed = Signed(track.LastTotals.NotAllowed),
            KernelDrops = track.LastTotals is { KernelDropUnit: UdpDropUnit.None, KernelDrops: 0 }
                ? null
                : Signed(track.LastTotals.KernelDrops),
            KernelDropUnit = track.LastTotals.KernelDropUnit,
            Gaps = gaps,
            GapsOmitted = omitted,
        };
    }

    private static IEnumerable<GatewayFinding> Judge(KeyTrack track)
    {
        if (track.First is not { } begin) yield break;

        // After the last accounting message nothing is under way: all that was accepted must be there.
        bool isAllSaid = track.IsEnded && !track.HasUnsaid;
        ulong end = isAllSaid ? Math.Max(track.Next, track.LastAccepted) : track.Next;
        foreach ((ulong first, ulong count) in track.Accounted.Gaps(begin, end))
        {
            // The datagram behind the gap was published after the gap's had been dropped, or they were not dropped. A
            // accounting message that was read after that datagram would name them.
            bool isSaidAfter = isAllSaid || first + count < track.SaidUpTo;
            GatewayFindingKind kind = isSaidAfter ? GatewayFindingKind.Missing : GatewayFindingKind.Unexplained;
            foreach ((ulong low, ulong number, bool isCut) in track.DivideAtCuts(first, first + count))
            {
                yield return new GatewayFinding
                {
                    Kind = isCut ? GatewayFindingKind.CutOff : kind,
                    First = (long)low,
                    Count = (long)number,
                };
            }
        }

        ulong tail = Math.Max(begin, end);
        foreach ((ulong first, ulong count) in track.Accounted.Gaps(tail, Math.Max(tail, track.LastAccepted)))
        {
            yield return new GatewayFinding
            {
                Kind = GatewayFindingKind.Unsettled,
                First = (long)first,
                Count = (long)count,
            };
        }
    }

    // What was read after the accounting message may have filled the gap, if messages were refused and published again;
    // and so may what was cut off.
    private static ulong CommittedMissing(KeyTrack track)
    {
        if (track.CommittedUnread == 0) return 0;
        ulong unread = 0;
        foreach ((ulong first, ulong count) in track.Accounted.Gaps(0, Math.Max(track.Next, track.LastAccepted)))
        {
            foreach ((_, ulong number, bool isCut) in track.DivideAtCuts(first, first + count))
            {
                if (!isCut) unread += number;
            }
        }

        return Math.Min(track.CommittedUnread, unread);
    }

    // Each number in a message is less than 2^62 (FormatLimits), but sums of them may be more.
    private static long Signed(ulong count) => (long)Math.Min(count, long.MaxValue);
}

/// <summary>
/// How far a stream has been read, and where it ended when reading began. AMQP does not tell where a stream ends, so
/// it is found out: a consumer that begins with the last chunk is delivered its first offset, one that begins with the
/// next message the first offset that came later, and a stream that is silent behind the former has ended.
/// </summary>
internal sealed class ReadPosition(GatewayOffset begin)
{
    // A reader whose broker has delivered nothing waits longer: it cannot tell an empty stream from a slow one.
    private const int SilenceFactor = 3;

    /// <summary>The last offset that was read; null for none.</summary>
    public ulong? Last { get; private set; }

    /// <summary>The first offset of the chunk that was the last one; null where it is not known.</summary>
    public ulong? Chunk { get; private set; }

    /// <summary>An offset that was published after reading began; null where none is known.</summary>
    public ulong? Later { get; private set; }

    /// <summary>
    /// Where to go on: with the last offset once more, which shows that the stream still has it; or where reading
    /// begins.
    /// </summary>
    public GatewayOffset Resume => Last is { } last ? GatewayOffset.At((long)last) : begin;

    /// <summary>Whether the end is certain: nothing that was there when reading began is left.</summary>
    public bool IsAtEnd => Last is { } last && Later is { } later && last + 1 >= later;

    private bool IsInLastChunk => begin.IsNext || Chunk is not { } chunk
        || (Last is { } last ? last >= chunk : (ulong?)begin.Number > chunk);

    /// <summary>Whether a stream that has been silent that long has ended.</summary>
    public bool IsSilentAtEnd(TimeSpan silence, TimeSpan quietTime) =>
        IsInLastChunk && silence >= (Chunk is null && Last is null ? SilenceFactor * quietTime : quietTime);

    /// <summary>Whether offsets are left out before this one, which happens in whole streams too.</summary>
    public bool IsBeforeJump(ulong offset) => Last is { } last && offset > last + 1;

    /// <summary>Notes an offset that is delivered. Returns false if it was read before.</summary>
    public bool TryAdvance(ulong offset)
    {
        if (Last is { } last && offset <= last) return false;
        Last = offset;
        return true;
    }

    public void FindChunk(ulong offset) => Chunk ??= offset;

    public void FindLater(ulong offset) => Later ??= offset;
}
