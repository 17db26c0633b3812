using Spate.HostTuning.Cpus;
using Spate.Measurement.Loss;
using Spate.Measurement.Meters;

namespace Spate.Measurement.Reports;

/// <summary>One measuring thread: where it ran and what it used.</summary>
public record ThreadReport
{
    /// <summary>What the thread did: <c>send</c>, <c>receive</c> or <c>handle</c>.</summary>
    public string Role { get; set; } = "";

    /// <summary>The CPU it was bound to; null if it was free to move.</summary>
    public int? Cpu { get; set; }

    /// <summary>The NUMA node of that CPU; null if free to move or unknown.</summary>
    public int? Node { get; set; }

    /// <summary>Nanoseconds on a CPU during the run; null where the system does not tell.</summary>
    public long? CpuNanoseconds { get; set; }

    /// <summary>The part of it in the program, in steps of 10 ms; null where the system does not tell.</summary>
    public long? UserNanoseconds { get; set; }

    /// <summary>The part of it in the kernel, in steps of 10 ms; null where the system does not tell.</summary>
    public long? SystemNanoseconds { get; set; }

    /// <summary>
    /// Nanoseconds ready to run but waiting for a CPU, during the run; null where the system does not tell.
    /// </summary>
    public long? RunQueueNanoseconds { get; set; }

    /// <summary>How often it gave up the CPU to wait during the run; null where the system does not tell.</summary>
    public long? VoluntarySwitches { get; set; }

    /// <summary>How often it was taken off its CPU during the run; null where the system does not tell.</summary>
    public long? InvoluntarySwitches { get; set; }

    /// <summary>
    /// What a receiver's thread got of its CPUs while its datagrams came in; null for a sender and for a server.
    /// </summary>
    public ReaderSchedule? Reader { get; set; }

    /// <summary>Copies what the thread used.</summary>
    internal void SetUse(ThreadUse use)
    {
        CpuNanoseconds = use.Usage.CpuNanoseconds;
        UserNanoseconds = use.Times.UserNanoseconds;
        SystemNanoseconds = use.Times.SystemNanoseconds;
        RunQueueNanoseconds = use.Usage.RunQueueNanoseconds;
        VoluntarySwitches = use.Usage.VoluntarySwitches;
        InvoluntarySwitches = use.Usage.InvoluntarySwitches;
    }

    /// <summary>The report of a thread of which only the CPU is known.</summary>
    /// <param name="role">What it did.</param>
    /// <param name="cpu">The CPU it was bound to; null if it was free to move.</param>
    internal static ThreadReport At(string role, int? cpu) => new()
    {
        Role = role,
        Cpu = cpu,
        Node = cpu is null ? null : CpuFacts.Read().All.FirstOrDefault(other => other.Number == cpu)?.Node,
    };
}
