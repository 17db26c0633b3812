using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Counters;

/// <summary>What one network interface has counted, as <c>ip -s -s link</c> prints it. Null where unknown.</summary>
/// <param name="Name">Bytes that are no printable ASCII, and backslashes, stand here as <c>\xNN</c>.</param>
/// <param name="Index">An interface that is made again under the same name gets another.</param>
internal sealed record InterfaceCounters(string Name, int Index)
{
    /// <summary>Drivers that coalesce count packets of the wire; virtual interfaces a GSO message as one.</summary>
    public long? RxPackets { get; init; }

    /// <summary>Without the preamble and the checksum of the link.</summary>
    public long? RxBytes { get; init; }

    /// <summary>Full backlog queues count in <see cref="SoftnetCounters.Dropped"/> too.</summary>
    public long? RxDropped { get; init; }

    public long? RxErrors { get; init; }

    /// <summary>Lack of buffers: the host did not empty the card's ring in time.</summary>
    public long? RxMissedErrors { get; init; }

    public long? RxFifoErrors { get; init; }

    /// <summary>Came in by an interface that is not to be used, such as the passive one of a bond.</summary>
    public long? RxNoHandler { get; init; }

    public long? TxPackets { get; init; }

    /// <summary>Without the preamble and the checksum of the link.</summary>
    public long? TxBytes { get; init; }

    public long? TxDropped { get; init; }

    public long? TxErrors { get; init; }

    public long? TxFifoErrors { get; init; }

    public long? TxCarrierErrors { get; init; }

    /// <summary>Null where either is unknown, or where the interface has begun anew.</summary>
    public static InterfaceCounters operator -(InterfaceCounters later, InterfaceCounters earlier) => new(
        later.Name, later.Index)
    {
        RxPackets = CounterDelta.Wide(later.RxPackets, earlier.RxPackets),
        RxBytes = CounterDelta.Wide(later.RxBytes, earlier.RxBytes),
        RxDropped = CounterDelta.Wide(later.RxDropped, earlier.RxDropped),
        RxErrors = CounterDelta.Wide(later.RxErrors, earlier.RxErrors),
        RxMissedErrors = CounterDelta.Wide(later.RxMissedErrors, earlier.RxMissedErrors),
        RxFifoErrors = CounterDelta.Wide(later.RxFifoErrors, earlier.RxFifoErrors),
        RxNoHandler = CounterDelta.Wide(later.RxNoHandler, earlier.RxNoHandler),
        TxPackets = CounterDelta.Wide(later.TxPackets, earlier.TxPackets),
        TxBytes = CounterDelta.Wide(later.TxBytes, earlier.TxBytes),
        TxDropped = CounterDelta.Wide(later.TxDropped, earlier.TxDropped),
        TxErrors = CounterDelta.Wide(later.TxErrors, earlier.TxErrors),
        TxFifoErrors = CounterDelta.Wide(later.TxFifoErrors, earlier.TxFifoErrors),
        TxCarrierErrors = CounterDelta.Wide(later.TxCarrierErrors, earlier.TxCarrierErrors),
    };

    public static InterfaceCounters Subtract(InterfaceCounters later, InterfaceCounters earlier) => later - earlier;
}
