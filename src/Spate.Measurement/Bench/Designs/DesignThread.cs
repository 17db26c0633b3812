namespace Spate.Measurement.Bench.Designs;

/// <summary>What one thread of a server did in one round.</summary>
public sealed record DesignThread
{
    /// <summary>Whether it receives for the others and runs no handler.</summary>
    public required bool IsReceiver { get; init; }

    /// <summary>Datagrams it handled, or, if it receives for others, handed on.</summary>
    public required long Datagrams { get; init; }

    /// <summary>Calls that brought them.</summary>
    public required long Calls { get; init; }

    /// <summary>The fewest that a call brought; 0 before the first.</summary>
    public required int LeastPerCall { get; init; }

    /// <summary>Datagrams per call; 0 before the first.</summary>
    public required double MeanPerCall { get; init; }

    /// <summary>The most that a call brought.</summary>
    public required int MostPerCall { get; init; }

    /// <summary>How often it gave up its CPU; null where the system does not tell.</summary>
    public required long? VoluntarySwitches { get; init; }

    /// <summary>How often it was taken off its CPU; null where the system does not tell.</summary>
    public required long? InvoluntarySwitches { get; init; }

    /// <summary>CPU time; null where the system does not tell.</summary>
    public required long? CpuNanoseconds { get; init; }
}
