namespace Spate.Measurement.Counting;

/// <summary>What is counted of test datagrams beyond what their numbers tell.</summary>
internal sealed record AccountingOptions
{
    internal const long NoDeadlineNanoseconds = long.MaxValue / 4; // far from where sums of times overflow

    /// <summary>
    /// How much later than the fastest datagram of its stream a datagram may arrive; later ones count as
    /// <see cref="SequenceCounts.AfterDeadline"/>. Above zero. Null (the default) for no deadline. With one, each
    /// stream takes 23 KiB more.
    /// </summary>
    public TimeSpan? Deadline { get; init; }

    /// <summary>
    /// Whether checksums are verified. Every data datagram must then have the right checksum; others count as
    /// <see cref="StreamTotals.Corrupted"/> and as nothing else, since their numbers cannot be trusted. Default: false.
    /// </summary>
    public bool Verify { get; init; }

    internal long DeadlineNanoseconds => Deadline is { } deadline
        ? (long)Math.Min(deadline.TotalSeconds * 1e9, NoDeadlineNanoseconds)
        : NoDeadlineNanoseconds;

    internal void Validate() =>
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(Deadline ?? TimeSpan.MaxValue, TimeSpan.Zero);
}
