using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Counters;

/// <summary>
/// What one network interface has counted, as <c>ip -s -s link</c> prints it. Null where the system does not tell.
/// </summary>
/// <param name="Name">
/// The system's name for it, for example <c>eth0</c>: at most 15 bytes. Bytes that are no printable ASCII, and
/// backslashes, stand here as <c>\xNN</c>.
/// </param>
/// <param name="Index">The system's number for it. One that is made again under the same name gets another.</param>
internal sealed record InterfaceCounters(string Name, int Index)
{
    /// <summary>
    /// Packets that came in. Drivers that coalesce on receive count packets of the wire; virtual interfaces count what
    /// they are handed, a GSO message being one.
    /// </summary>
    public long? RxPackets { get; init; }

    /// <summary>Their bytes, without the preamble and the checksum of the link.</summary>
    public long? RxBytes { get; init; }

    /// <summary>
    /// Packets that came in and were dropped, by the driver or above it: no protocol wanted them, a filter dropped
    /// them, or a CPU's backlog queue was full. The last ones count in <see cref="SoftnetCounters.Dropped"/> too.
    /// </summary>
    public long? RxDropped { get; init; }

    /// <summary>Packets that came in damaged.</summary>
    public long? RxErrors { get; init; }

    /// <summary>Packets that the card dropped for lack of buffers: the host did not empty its ring in time.</summary>
    public long? RxMissedErrors { get; init; }

    /// <summary>Packets that overflowed the card's own memory.</summary>
    public long? RxFifoErrors { get; init; }

    /// <summary>
    /// Packets that came in by an interface that is not to be used, such as the passive one of a bond. Since Linux 4.6.
    /// </summary>
    public long? RxNoHandler { get; init; }

    public long? TxPackets { get; init; }

    /// <summary>Their bytes, without the preamble and the checksum of the link.</summary>
    public long? TxBytes { get; init; }

    /// <summary>Packets that were dropped on their way out, by the driver or just above it.</summary>
    public long? TxDropped { get; init; }

    /// <summary>Packets that could not be sent.</summary>
    public long? TxErrors { get; init; }

    /// <summary>Packets that the card could not send in time, its own memory being empty or full.</summary>
    public long? TxFifoErrors { get; init; }

    /// <summary>Packets that could not be sent because the link was lost meanwhile.</summary>
    public long? TxCarrierErrors { get; init; }

    /// <summary>
    /// What was counted between two readings; null where either is unknown, or where the interface has begun anew.
    /// </summary>
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

    /// <inheritdoc cref="op_Subtraction"/>
    public static InterfaceCounters Subtract(InterfaceCounters later, InterfaceCounters earlier) => later - earlier;
}
