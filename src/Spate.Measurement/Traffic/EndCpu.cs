using Spate.Measurement.HostUse;

namespace Spate.Measurement.Traffic;

/// <summary>An end's cost by the CPU time of its own threads: its process may have both ends or directions.</summary>
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
