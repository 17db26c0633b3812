namespace Spate.Measurement;

/// <summary>One thread of a design in the median round.</summary>
public sealed class DesignThreadRow
{
    /// <summary>Datagrams it handled, or handed on.</summary>
    public required long Datagrams { get; set; }

    /// <summary>Calls that brought them.</summary>
    public required long Calls { get; set; }

    /// <summary>The fewest that a call brought; 0 if there was none.</summary>
    public required int LeastPerCall { get; set; }

    /// <summary>Datagrams per call; 0 if there was none.</summary>
    public required double MeanPerCall { get; set; }

    /// <summary>The most that a call brought.</summary>
    public required int MostPerCall { get; set; }

    /// <summary>How often it gave up its CPU; null where the system does not tell.</summary>
    public required long? VoluntarySwitches { get; set; }

    /// <summary>How often it was taken off its CPU; null where the system does not tell.</summary>
    public required long? InvoluntarySwitches { get; set; }
}
