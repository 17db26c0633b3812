namespace Spate.Measurement;

/// <summary>One measuring thread: where it ran and what it used.</summary>
public class ThreadReport
{
    /// <summary>What the thread did: <c>send</c>, <c>receive</c> or <c>handle</c>.</summary>
    public string Role { get; set; } = "";

    /// <summary>The CPU it was bound to; null if it was free to move.</summary>
    public int? Cpu { get; set; }

    /// <summary>The NUMA node of that CPU; null if free to move or unknown.</summary>
    public int? Node { get; set; }

    /// <summary>Nanoseconds on a CPU during the run; null where the system does not tell.</summary>
    public long? CpuNanoseconds { get; set; }

    /// <summary>How often it waited, during the run; null where the system does not tell.</summary>
    public long? VoluntarySwitches { get; set; }

    /// <summary>How often it was taken off its CPU, during the run; null where the system does not tell.</summary>
    public long? InvoluntarySwitches { get; set; }
}
