using Spate.Measurement.HostUse;
using Spate.Measurement.Loss;

namespace Spate.Measurement.Traffic;

/// <summary>What the report of a receiver says about the datagrams that did not arrive.</summary>
internal static class ReceiverEvidence
{
    /// <param name="received">The receiver's report.</param>
    /// <param name="missing">Datagrams that were due and did not arrive.</param>
    public static LossEvidence Of(TrafficReport received, long missing) => new()
    {
        Missing = Math.Max(0, missing),
        Corrupted = received.Corrupted ?? 0,
        Late = received.Late ?? 0,
        SocketDrops = received.KernelDrops,
        SocketDropUnit = DropUnitText.Read(received.KernelDropUnit),
        CoalescedReceive = received.Offloads.Contains("gro", StringComparer.Ordinal),
        ReceiveBufferAskedBytes = received.BufferAskedBytes,
        ReceiveBufferGrantedBytes = received.BufferGrantedBytes,
        ThrottledSeconds = received.ThrottledSeconds,
        Readers = [.. received.Threads.Select(static thread => thread.Reader).OfType<ReaderSchedule>()],
    };
}
