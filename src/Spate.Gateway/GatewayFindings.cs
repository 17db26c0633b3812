namespace Spate.Gateway;

/// <summary>What a <see cref="GatewayReader"/> has read, and what is missing.</summary>
public sealed record GatewayFindings
{
    /// <summary>All messages read.</summary>
    public long Messages { get; init; }

    /// <summary>The bytes of their bodies.</summary>
    public long Bytes { get; init; }

    /// <summary>Messages of other programs: their content type is none of a gateway's.</summary>
    public long MessagesForeign { get; init; }

    /// <summary>
    /// Messages with a gateway's content type that could not be read. None of their datagrams is counted.
    /// </summary>
    public long MessagesUnreadable { get; init; }

    /// <summary>Why the first of them could not be read, and its offset; null for none.</summary>
    public string? FirstUnreadable { get; init; }

    /// <summary>
    /// Messages of further keys than <see cref="GatewayReaderOptions.MaxKeyCount"/>. Their datagrams are visited, but
    /// not verified.
    /// </summary>
    public long MessagesUntracked { get; init; }

    /// <summary>Each key, ordered by gateway, epoch, shard and partition.</summary>
    public IReadOnlyList<GatewayKeyFindings> Keys { get; init; } = [];

    /// <summary>Different datagrams read.</summary>
    public long Datagrams => Sum(static key => key.Datagrams);

    /// <summary>Second and further copies of datagrams.</summary>
    public long Duplicates => Sum(static key => key.Duplicates);

    /// <summary>Datagrams that are missing without a stated reason.</summary>
    public long Missing => Sum(static key => key.Missing);

    /// <summary>Datagrams that the broker had confirmed and that are not in the stream, at least.</summary>
    public long CommittedMissing => Sum(static key => key.CommittedMissing);

    /// <summary>Datagrams whose reason was not read (<see cref="GatewayFindingKind.Unexplained"/>).</summary>
    public long Unexplained => Sum(static key => key.Unexplained);

    /// <summary>
    /// Datagrams that were accepted and not read (<see cref="GatewayFindingKind.Unsettled"/>).
    /// </summary>
    public long Unsettled => Sum(static key => key.Unsettled);

    /// <summary>Datagrams in gaps that were forgotten (<see cref="GatewayKeyFindings.Undecided"/>).</summary>
    public long Undecided => Sum(static key => key.Undecided);

    /// <summary>
    /// Runs whose last accounting message was not read: they run still, or were killed. What they accepted after their
    /// last accounting message is not known.
    /// </summary>
    public int RunsWithoutEnd => Keys
        .Where(static key => key.State != GatewayEpochState.Ended)
        .Select(static key => (key.Key.GatewayId, key.Key.EpochUnixNanoseconds))
        .Distinct()
        .Count();

    /// <summary>
    /// Whether reading was cancelled before the end of the streams. With <see cref="GatewayReaderOptions.Follow"/>,
    /// which has no other end, whether it was cancelled before a broker was reached.
    /// </summary>
    public bool IsInterrupted { get; init; }

    /// <summary>
    /// Whether nothing is missing without a stated reason, and everything could be read: false if reading was
    /// interrupted (<see cref="IsInterrupted"/>). Datagrams that were under way
    /// when a run ended without its last accounting message are named, and count as a loss only where they were
    /// confirmed.
    /// </summary>
    public bool IsComplete => !IsInterrupted && MessagesUnreadable == 0 && MessagesUntracked == 0
        && Keys.All(static key => key is { Missing: 0, CommittedMissing: 0, Undecided: 0 }
            && (key.Unexplained == 0 || key.State != GatewayEpochState.Ended));

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(nameof(GatewayFindings), PrintMembers, (nameof(Keys), Keys));

    // Any publisher can state numbers near the largest, so the sum must not wrap to 0.
    private long Sum(Func<GatewayKeyFindings, long> count) => Keys.Aggregate(
        0L, (sum, key) => count(key) is var one && one <= long.MaxValue - sum ? sum + one : long.MaxValue);
}
