using Spate.Measurement.Arithmetic;
using Spate.Measurement.Loss;
using Spate.Measurement.Reports;

namespace Spate.Measurement.Traffic;

/// <summary>What the report of a receiver says about the datagrams that did not arrive.</summary>
internal static class ReceiverEvidence
{
    /// <param name="received">The receiver's report.</param>
    /// <param name="missing">Datagrams that were due and did not arrive.</param>
    public static LossEvidence Of(TrafficReport received, long missing) => new()
    {
        Missing = Math.Max(0, missing),
        SocketDrops = received.KernelDrops,
        SocketDropUnit = DropUnitText.Read(received.KernelDropUnit),
        CoalescedReceive = received.Offloads.Contains("gro", StringComparer.Ordinal),
        ReceiveBufferAskedBytes = received.BufferAskedBytes,
        ReceiveBufferGrantedBytes = received.BufferGrantedBytes,
        Reader = ScheduleOf(received),
    };

    private static ReaderSchedule ScheduleOf(TrafficReport received)
    {
        double? cpuNanoseconds = MeanOf(received.Threads, static thread => thread.CpuNanoseconds);
        return new ReaderSchedule(
            (long?)MeanOf(received.Threads, static thread => thread.RunQueueNanoseconds),
            StealNanoseconds: null,
            StoppedNanoseconds: null,
            cpuNanoseconds is { } cpu ? 100 * Statistics.Ratio(cpu / 1e9, received.Seconds) : null);
    }

    private static double? MeanOf(ThreadReport[] threads, Func<ThreadReport, long?> figure) =>
        threads.Select(figure).Average();
}
