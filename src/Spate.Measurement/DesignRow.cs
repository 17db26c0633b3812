namespace Spate.Measurement;

/// <summary>One design with one amount of work per datagram: medians over the rounds.</summary>
public sealed class DesignRow
{
    /// <summary>The design, as <c>one-by-one</c>; <c>sharded-gro</c> is sharded with coalesced datagrams.</summary>
    public required string Design { get; set; }

    /// <summary>Rounds of work per datagram, see <see cref="WorkLoad"/>.</summary>
    public required int WorkRounds { get; set; }

    /// <summary>Threads that run handlers.</summary>
    public required int ThreadCount { get; set; }

    /// <summary>Datagrams handled per second.</summary>
    public required double DatagramsPerSecond { get; set; }

    /// <summary>Datagrams handled, in per cent of those sent; of all rounds together, no median.</summary>
    public required double ProcessedPercent { get; set; }

    /// <summary>
    /// CPU nanoseconds of the server's threads per datagram handled, without the generator's; null where the system
    /// does not tell.
    /// </summary>
    public required double? NanosecondsPerDatagram { get; set; }

    /// <summary>Bytes that the whole process allocated, per datagram handled.</summary>
    public required double AllocatedBytesPerDatagram { get; set; }

    /// <summary>Interrupts of the whole system per second; null where it does not tell.</summary>
    public required double? InterruptsPerSecond { get; set; }

    /// <summary>Memory of the process that cannot be paged out; null where the system does not tell.</summary>
    public required long? LockedBytes { get; set; }

    /// <summary>
    /// The threads in the median round. In the designs in which one receives for the others it is the first.
    /// </summary>
    public required DesignThreadRow[] Threads { get; set; }

    /// <summary>Dearest round less cheapest, in per cent of the median, by CPU time.</summary>
    public required double SpreadPercent { get; set; }
}
