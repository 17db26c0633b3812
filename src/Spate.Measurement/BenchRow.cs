namespace Spate.Measurement;

/// <summary>One way to move datagrams, at one size: medians over the rounds.</summary>
public sealed class BenchRow
{
    /// <summary>The way, as <c>spate-mmsg-gso-gro</c>.</summary>
    public required string Name { get; set; }

    /// <summary>Payload bytes of a datagram.</summary>
    public required int SizeBytes { get; set; }

    /// <summary>Datagrams received per second.</summary>
    public required double DatagramsPerSecond { get; set; }

    /// <summary>Payload bits received per second.</summary>
    public required double BitsPerSecond { get; set; }

    /// <summary>Share of the datagrams sent that were not received, 0 to 100.</summary>
    public required double LostPercent { get; set; }

    /// <summary>CPU nanoseconds of the sending side per datagram sent; null if not known.</summary>
    public required double? SendNanosecondsPerDatagram { get; set; }

    /// <summary>CPU nanoseconds of the receiving side per datagram received; null if not known.</summary>
    public required double? ReceiveNanosecondsPerDatagram { get; set; }

    /// <summary>Bytes allocated by the whole process per datagram received; null for another program.</summary>
    public required double? AllocatedBytesPerDatagram { get; set; }

    /// <summary>Garbage collections; null for another program.</summary>
    public required double? Gen0Collections { get; set; }

    /// <summary>Datagrams received per system call; null if not known.</summary>
    public required double? DatagramsPerCall { get; set; }

    /// <summary>
    /// How far the rounds' datagrams per second lie apart, see <see cref="Statistics.SpreadPercent"/>.
    /// </summary>
    public required double SpreadPercent { get; set; }
}
