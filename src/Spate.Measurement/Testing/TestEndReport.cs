using Spate.Measurement.Traffic;

namespace Spate.Measurement.Testing;

/// <summary>What one end of a test has measured.</summary>
public sealed record TestEndReport
{
    /// <summary>Whether it stopped sending early, since it did not hear the other end for 2 s.</summary>
    public bool StoppedUnheard { get; set; }

    /// <summary>What it sent; null where it did not send.</summary>
    public TrafficReport? Sent { get; set; }

    /// <summary>What it received; null where it did not receive.</summary>
    public TrafficReport? Received { get; set; }
}
