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
        var sums = new ulong[Enum.GetValues<GatewayFindingKind>().Length];
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
            FirstSequence = track.First ?? track.Next,
            NextSequence = track.Next,
            Messages = track.Messages,
            Datagrams = track.Datagrams,
            Duplicates = track.Duplicates,
            Reordered = track.Reordered,
            LastAccepted = track.LastAccepted,
            LastCommitted = track.LastTotals.Committed,
            DroppedWindowFull = track.DroppedFor(GatewayDropReason.WindowFull),
            DroppedRefused = track.DroppedFor(GatewayDropReason.Refused),
            DroppedOversized = track.DroppedFor(GatewayDropReason.Oversized),
            DroppedShutdown = track.DroppedFor(GatewayDropReason.Shutdown),
            Missing = sums[(int)GatewayFindingKind.Missing],
            CommittedMissing = CommittedMissing(track),
            Unexplained = sums[(int)GatewayFindingKind.Unexplained],
            Unsettled = sums[(int)GatewayFindingKind.Unsettled],
            CutOff = sums[(int)GatewayFindingKind.CutOff],
            Undecided = track.Forgotten,
            NotAllowed = track.LastTotals.NotAllowed,
            KernelDrops = track.LastTotals.KernelDrops,
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
                    First = low,
                    Count = number,
                };
            }
        }

        ulong tail = Math.Max(begin, end);
        foreach ((ulong first, ulong count) in track.Gaps(tail, Math.Max(tail, track.LastAccepted)))
        {
            yield return new GatewayFinding { Kind = GatewayFindingKind.Unsettled, First = first, Count = count };
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
}
