namespace Spate.Measurement.HostUse;

/// <summary>What a thread used of the CPUs during the time of its report.</summary>
internal abstract record ThreadUseReport
{
    /// <summary>Nanoseconds on a CPU; null where the system does not tell.</summary>
    public long? CpuNanoseconds { get; set; }

    /// <summary>The part of it in the program, in steps of 10 ms; null where the system does not tell.</summary>
    public long? UserNanoseconds { get; set; }

    /// <summary>The part of it in the kernel, in steps of 10 ms; null where the system does not tell.</summary>
    public long? SystemNanoseconds { get; set; }

    /// <summary>Nanoseconds ready to run but waiting for a CPU; null where the system does not tell.</summary>
    public long? RunQueueNanoseconds { get; set; }

    /// <summary>How often it gave up the CPU to wait; null where the system does not tell.</summary>
    public long? VoluntarySwitches { get; set; }

    /// <summary>How often it was taken off its CPU; null where the system does not tell.</summary>
    public long? InvoluntarySwitches { get; set; }

    /// <summary>Cycles of the processor that it used; null on other systems than Windows.</summary>
    public long? Cycles { get; set; }

    /// <summary>Copies what the thread used.</summary>
    internal void SetUse(ThreadUse use)
    {
        CpuNanoseconds = use.Usage.CpuNanoseconds;
        UserNanoseconds = use.Times.UserNanoseconds;
        SystemNanoseconds = use.Times.SystemNanoseconds;
        RunQueueNanoseconds = use.Usage.RunQueueNanoseconds;
        VoluntarySwitches = use.Usage.VoluntarySwitches;
        InvoluntarySwitches = use.Usage.InvoluntarySwitches;
        Cycles = use.Usage.Cycles;
    }
}
