namespace Spate.Trains;

/// <summary>
/// Turns runs into trains. Datagrams of one peer leave in the order given; peers that alternate are gathered, so the
/// order between peers may change.
/// </summary>
internal static class TrainPlanner
{
    // The place of a peer is looked up only when another peer follows: a batch to one peer is never hashed.
    private const int NotLookedUp = -2;

    /// <summary>
    /// Appends trains for these runs to the plan. Trains that are already in it are left as they are, so the order
    /// per peer holds over any number of calls.
    /// </summary>
    public static void Plan(ReadOnlySpan<SendRun> runs, TrainLimits limits, TrainPlan plan) =>
        Plan<KeyedPeerHasher>(runs, limits, plan);

    internal static void Plan<THasher>(ReadOnlySpan<SendRun> runs, TrainLimits limits, TrainPlan plan)
        where THasher : struct, IPeerHasher
    {
        int firstRunIndex = plan.CountRuns(runs.Length);
        bool gathers = limits.SegmentCountMax > 1;
        OpenTrainTable open = plan.OpenTrains;
        open.Begin();
        int place = NotLookedUp;
        int trainIndex = TrainPlan.None;
        for (int i = 0; i < runs.Length; i++)
        {
            ref readonly SendRun run = ref runs[i];
            if (!gathers)
            {
                trainIndex = TrainPlan.None;
            }
            else if (i > 0)
            {
                int peerRunIndex = i - 1;
                if (!run.Peer.Equals(in runs[i - 1].Peer))
                {
                    Leave<THasher>(open, runs, i - 1, trainIndex, place);
                    trainIndex = Enter<THasher>(open, runs, i, out place, out peerRunIndex);
                }

                // A peer's open train has the control of the peer's last run. Another control closes it for good.
                if (run.ControlIndex != runs[peerRunIndex].ControlIndex)
                {
                    trainIndex = TrainPlan.None;
                }
            }

            trainIndex = Append(in run, firstRunIndex + i, in limits, plan, trainIndex);
        }
    }

    /// <summary>Remembers the newest train of the peer that run <paramref name="runIndex"/> goes to.</summary>
    private static void Leave<THasher>(
        OpenTrainTable open, ReadOnlySpan<SendRun> runs, int runIndex, int trainIndex, int place)
        where THasher : struct, IPeerHasher
    {
        if (place == NotLookedUp)
        {
            place = open.FindOrAdd(runs, runIndex, THasher.Hash(in runs[runIndex].Peer));
        }

        if (place >= 0)
        {
            open.Set(place, runIndex, trainIndex);
        }
    }

    /// <summary>
    /// The newest train of the peer that run <paramref name="runIndex"/> goes to. A peer that finds no place starts a
    /// new train each time; it finds none later either, so nothing can lead back to an older train of it.
    /// </summary>
    private static int Enter<THasher>(
        OpenTrainTable open, ReadOnlySpan<SendRun> runs, int runIndex, out int place, out int peerRunIndex)
        where THasher : struct, IPeerHasher
    {
        peerRunIndex = runIndex;
        place = open.FindOrAdd(runs, runIndex, THasher.Hash(in runs[runIndex].Peer));
        return place >= 0 ? open.TrainAt(place, out peerRunIndex) : TrainPlan.None;
    }

    /// <summary>Puts a run into the train given and into new ones; returns the last, the peer's newest.</summary>
    private static int Append(
        in SendRun run, int runIndex, in TrainLimits limits, TrainPlan plan, int trainIndex)
    {
        int offsetBytes = run.OffsetBytes;
        int leftCount = run.SegmentCount;
        while (leftCount > 0)
        {
            int takenCount = trainIndex >= 0
                ? Join(in plan.TrainAt(trainIndex), in run, offsetBytes, leftCount, in limits, plan)
                : 0;
            if (takenCount == 0)
            {
                trainIndex = plan.AddTrain(runIndex, leftCount == 1 ? run.LastBytes : run.SegmentBytes);

                // Empty and oversized datagrams fit nowhere and travel alone.
                takenCount = Math.Max(1, Fit(in plan.TrainAt(trainIndex), in run, leftCount, in limits));
            }

            bool isWhole = takenCount == leftCount;
            int lastBytes = isWhole ? run.LastBytes : run.SegmentBytes;
            int takenBytes = ((takenCount - 1) * run.SegmentBytes) + lastBytes;
            ref Train train = ref plan.TrainAt(trainIndex);
            plan.AddBytes(ref train, run.BufferIndex, offsetBytes, takenBytes);
            train.SegmentCount += takenCount;
            train.TotalBytes += takenBytes;
            train.LastBytes = lastBytes;
            offsetBytes += takenBytes;
            leftCount -= takenCount;
        }

        return trainIndex;
    }

    /// <summary>How many of a run's next datagrams a train in use can take, its slices considered.</summary>
    private static int Join(
        in Train train, in SendRun run, int offsetBytes, int leftCount, in TrainLimits limits, TrainPlan plan) =>
        train.SliceCount < limits.SliceCountMax || plan.Adjoins(in train, run.BufferIndex, offsetBytes)
            ? Fit(in train, in run, leftCount, in limits)
            : 0;

    /// <summary>How many of a run's next datagrams a train can take.</summary>
    private static int Fit(in Train train, in SendRun run, int leftCount, in TrainLimits limits)
    {
        int nextBytes = leftCount == 1 ? run.LastBytes : run.SegmentBytes;
        int roomCount = limits.SegmentCountMax - train.SegmentCount;
        int roomBytes = limits.TotalBytesMax - train.TotalBytes;
        if (train.LastBytes != train.SegmentBytes
            || (uint)(nextBytes - 1) >= (uint)train.SegmentBytes
            || roomCount <= 0
            || nextBytes > roomBytes)
        {
            return 0;
        }

        // A shorter datagram is the train's last.
        if (leftCount == 1 || nextBytes < train.SegmentBytes)
        {
            return 1;
        }

        // An empty datagram at the end of a run (one trimmed to nothing) has to go alone.
        long leftBytes = ((long)(leftCount - 1) * nextBytes) + run.LastBytes;
        if (leftCount <= roomCount && leftBytes <= roomBytes && run.LastBytes > 0)
        {
            return leftCount;
        }

        return Math.Min(Math.Min(roomCount, roomBytes / nextBytes), leftCount - 1);
    }
}
