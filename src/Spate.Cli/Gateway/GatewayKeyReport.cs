using Spate.Gateway;
using Spate.Measurement.Reports;

namespace Spate.Cli.Gateway;

/// <summary>What was read of one thread and partition of one run of a gateway.</summary>
internal sealed record GatewayKeyReport
{
    public string Gateway { get; set; } = "";

    /// <summary>When the run began, in nanoseconds since 1970 UTC.</summary>
    public long Epoch { get; set; }

    public int Shard { get; set; }

    public int Partition { get; set; }

    /// <summary><c>open</c>, <c>ended</c>, or <c>superseded</c> by a later run.</summary>
    public string State { get; set; } = "";

    /// <summary>Whether the beginning is no longer in the stream.</summary>
    public bool IsHeadCut { get; set; }

    public long FirstSequence { get; set; }

    /// <summary>One more than the highest number read.</summary>
    public long NextSequence { get; set; }

    public long Datagrams { get; set; }

    public long Duplicates { get; set; }

    /// <summary>First copies that came after a higher number.</summary>
    public long Reordered { get; set; }

    public long LastAccepted { get; set; }

    public long LastCommitted { get; set; }

    public long DroppedWindowFull { get; set; }

    public long DroppedRefused { get; set; }

    public long DroppedOversized { get; set; }

    public long DroppedShutdown { get; set; }

    /// <summary>Missing without a stated reason.</summary>
    public long Missing { get; set; }

    /// <summary>Missing although the broker had confirmed them, at least.</summary>
    public long CommittedMissing { get; set; }

    /// <summary>Whose reason was not read.</summary>
    public long Unexplained { get; set; }

    /// <summary>Accepted by the last accounting message, and not read.</summary>
    public long Unsettled { get; set; }

    /// <summary>Not read, since retention or the offset to begin with cut them or their reason off: no loss.</summary>
    public long CutOff { get; set; }

    /// <summary>In gaps that were too many to be kept.</summary>
    public long Undecided { get; set; }

    public GatewayGapReport[] Gaps { get; set; } = [];

    public long GapsOmitted { get; set; }

    public override string ToString() => RecordText.Of(nameof(GatewayKeyReport), PrintMembers, (nameof(Gaps), Gaps));

    internal static GatewayKeyReport Of(GatewayKeyFindings key) => new()
    {
        Gateway = key.Key.GatewayId,
        Epoch = key.Key.EpochUnixNanoseconds,
        Shard = key.Key.ShardIndex,
        Partition = key.Key.PartitionIndex,
        State = NameText.Of(key.State),
        IsHeadCut = key.IsHeadCut,
        FirstSequence = key.FirstSequence,
        NextSequence = key.NextSequence,
        Datagrams = key.Datagrams,
        Duplicates = key.Duplicates,
        Reordered = key.Reordered,
        LastAccepted = key.LastAccepted,
        LastCommitted = key.LastCommitted,
        DroppedWindowFull = key.DroppedWindowFull,
        DroppedRefused = key.DroppedRefused,
        DroppedOversized = key.DroppedOversized,
        DroppedShutdown = key.DroppedShutdown,
        Missing = key.Missing,
        CommittedMissing = key.CommittedMissing,
        Unexplained = key.Unexplained,
        Unsettled = key.Unsettled,
        CutOff = key.CutOff,
        Undecided = key.Undecided,
        GapsOmitted = key.GapsOmitted,
        Gaps = [.. key.Gaps.Select(static gap => new GatewayGapReport
        {
            Kind = NameText.Of(gap.Kind),
            First = gap.First,
            Count = gap.Count,
            Reason = gap.Reason == GatewayDropReason.None ? null : NameText.Of(gap.Reason),
        })],
    };
}

/// <summary>Consecutive numbers whose datagrams are not in the stream.</summary>
internal sealed record GatewayGapReport
{
    /// <summary><c>dropped</c>, <c>missing</c>, <c>unexplained</c>, <c>unsettled</c> or <c>cut-off</c>.</summary>
    public string Kind { get; set; } = "";

    public long First { get; set; }

    public long Count { get; set; }

    /// <summary>Why they were dropped, for example <c>window-full</c>; null where no reason is stated.</summary>
    public string? Reason { get; set; }
}
