using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Reports;

/// <summary>One interval of a run.</summary>
public sealed class IntervalReport
{
    /// <summary>The default time between two interval reports: 1 s.</summary>
    public static readonly TimeSpan DefaultInterval = TimeSpan.FromSeconds(1);

    /// <summary>Seconds from the start of the run to the start of the interval.</summary>
    public double StartSeconds { get; set; }

    /// <summary>How long the interval was.</summary>
    public double Seconds { get; set; }

    /// <summary>Datagrams sent or received in the interval.</summary>
    public long Datagrams { get; set; }

    /// <summary>Their payload bytes.</summary>
    public long Bytes { get; set; }

    /// <summary><see cref="Datagrams"/> / <see cref="Seconds"/>. It is written, not read.</summary>
    public double DatagramsPerSecond => Statistics.Ratio(Datagrams, Seconds);

    /// <summary>Payload bits per second. It is written, not read.</summary>
    public double BitsPerSecond => Statistics.Ratio(8.0 * Bytes, Seconds);

    /// <summary>
    /// How much the loss grew. Negative if datagrams that were missing at the end of the previous interval arrived in
    /// this one. Null at a sender. At the sender of a test: what the receiver has said by then.
    /// </summary>
    public long? Lost { get; set; }

    /// <summary>CPU time of the process in percent of one CPU.</summary>
    public double CpuPercent { get; set; }

    /// <summary>
    /// Methods that the runtime compiled in the interval, which takes CPU time from the traffic. Null for a server.
    /// </summary>
    public long? CompiledMethods { get; set; }

    /// <summary>Adds the interval that follows this one.</summary>
    internal void Extend(IntervalReport next)
    {
        double cpu = (CpuPercent * Seconds) + (next.CpuPercent * next.Seconds);
        CpuPercent = Statistics.Ratio(cpu, Seconds + next.Seconds);
        Seconds += next.Seconds;
        Datagrams += next.Datagrams;
        Bytes += next.Bytes;
        Lost += next.Lost;
        CompiledMethods += next.CompiledMethods;
    }
}
