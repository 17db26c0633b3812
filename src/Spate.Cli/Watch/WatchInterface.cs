using Spate.HostTuning.Counters;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Watch;

/// <summary>What one interface did in a time in which it was watched. Null where the system does not tell.</summary>
internal sealed record WatchInterface
{
    /// <summary>Its name, as one line of printable ASCII.</summary>
    public required string Name { get; set; }

    public long? RxPackets { get; set; }

    public double? RxPacketsPerSecond { get; set; }

    /// <summary>Bits a second that came in, with the headers of the link.</summary>
    public double? RxBitsPerSecond { get; set; }

    /// <summary>Packets that came in and were dropped by the driver, by the card or above them.</summary>
    public long? RxDropped { get; set; }

    public long? RxErrors { get; set; }

    public long? TxPackets { get; set; }

    public double? TxPacketsPerSecond { get; set; }

    public double? TxBitsPerSecond { get; set; }

    public long? TxDropped { get; set; }

    public long? TxErrors { get; set; }

    internal static WatchInterface Of(InterfaceCounters growth, double seconds)
    {
        return new WatchInterface
        {
            Name = growth.Name,
            RxPackets = growth.RxPackets,
            RxPacketsPerSecond = Rate(growth.RxPackets),
            RxBitsPerSecond = Rate(8 * growth.RxBytes),
            RxDropped = growth.RxDropped is null && growth.RxMissedErrors is null
                ? null
                : (growth.RxDropped ?? 0) + (growth.RxMissedErrors ?? 0),
            RxErrors = growth.RxErrors,
            TxPackets = growth.TxPackets,
            TxPacketsPerSecond = Rate(growth.TxPackets),
            TxBitsPerSecond = Rate(8 * growth.TxBytes),
            TxDropped = growth.TxDropped,
            TxErrors = growth.TxErrors,
        };

        double? Rate(long? amount) => amount is { } known ? Statistics.Ratio(known, seconds) : null;
    }
}
