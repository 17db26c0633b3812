namespace Spate.Gateway.Reading;

/// <summary>Says what the numbers mean that a key has left out. Pure over what was read.</summary>
internal static class KeyJudge
{
    /// <summary>The findings of a key.</summary>
    /// <param name="track">What was read.</param>
    /// <param name="isSuperseded">Whether a later run of the same gateway was read.</param>
    public static GatewayKeyFindings Judge(KeyTrack track, bool isSuperseded)
    {
        var gaps = new List<GatewayFinding>(track.Dropped);
        long omitted = track.DroppedOmitted;
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
            Undecided = Signed(track.Forgotten),
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
        foreach ((ulong first, ulong count) in track.Gaps(begin, end))
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
        foreach ((ulong first, ulong count) in track.Gaps(tail, Math.Max(tail, track.LastAccepted)))
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
        foreach ((ulong first, ulong count) in track.Gaps(0, Math.Max(track.Next, track.LastAccepted)))
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
