using Spate.Measurement.HostUse;

namespace Spate.Measurement.Traffic;

/// <summary>
/// What one end of traffic took of the CPUs for each datagram, by the CPU time of its own threads. The process's time
/// would be wrong: with both ends or both directions in one process it has all of them.
/// </summary>
/// <param name="NanosecondsPerDatagram">CPU time of the end's threads for each datagram; null for no measure.</param>
/// <param name="NoMeasure">Why there is none, in one sentence; null where there is one.</param>
internal readonly record struct EndCpu(double? NanosecondsPerDatagram, string? NoMeasure)
{
    public const string Spinning =
        "the threads of the run spin: their CPU time is that of the whole run and no measure of what a datagram costs";

    public const string Unknown = "the report does not tell the CPU time of the end's own threads";

    /// <summary>Reads the cost of an end from its report, which may be of any origin.</summary>
    public static EndCpu Of(EndReport end)
    {
        if (end.Spins) return new EndCpu(NanosecondsPerDatagram: null, Spinning);

        double total = 0;
        IReadOnlyList<ThreadReport> threads = end.WorkingThreads;
        foreach (ThreadReport thread in threads)
        {
            total += thread.CpuNanoseconds is { } time and >= 0 ? time : double.NaN;
        }

        return threads.Count > 0 && end.Datagrams > 0 && total > 0
            ? new EndCpu(total / end.Datagrams, NoMeasure: null)
            : new EndCpu(NanosecondsPerDatagram: null, Unknown);
    }
}
