using Spate.Measurement.Traffic;

namespace Spate.Measurement.Testing;

/// <summary>What one end of a test has measured.</summary>
public sealed record TestEndReport
{
    /// <summary>Whether it stopped sending early, since it had not heard the other end for almost 2 s.</summary>
    public bool StoppedUnheard { get; set; }

    /// <summary>What it sent; null where it did not send.</summary>
    public TrafficReport? Sent { get; set; }

    /// <summary>What it received; null where it did not receive.</summary>
    public TrafficReport? Received { get; set; }

    /// <summary>Why its system refused a datagram, in the words of .NET; null where it refused none.</summary>
    public string? RefusedBecause { get; set; }

    /// <summary>What its host did meanwhile; null where that was not watched.</summary>
    public TestHostReport? Host { get; set; }

    /// <summary>Whether no list holds a null, which the types cannot rule out in JSON that a stranger wrote.</summary>
    internal bool IsWhole => IsWholeTraffic(Sent) && IsWholeTraffic(Received)
        && (Host is null || HasAll(Host.Interfaces))
        && (Host?.Counters is not { } counters || (HasAll(counters.Interfaces) && HasAll(counters.Queues)));

    // A list that is left out is null, since it can only be initialised.
    private static bool HasAll<T>(IReadOnlyList<T?>? list)
        where T : class => list?.Contains(null) == false;

    private static bool IsWholeTraffic(TrafficReport? report) => report is null
        || (!report.Threads.Contains(null) && !report.Intervals.Contains(null) && !report.PerStream.Contains(null)
            && !report.Offloads.Contains(value: null, StringComparer.Ordinal));
}
