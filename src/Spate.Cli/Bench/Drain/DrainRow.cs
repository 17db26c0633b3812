using System.Text.Json.Serialization;

namespace Spate.Cli.Bench.Drain;

/// <summary>One way to move datagrams at one size: medians over the rounds.</summary>
internal sealed record DrainRow
{
    /// <summary>The way to move datagrams, for instance <c>spate-mmsg-gso-gro</c>.</summary>
    public required string Name { get; set; }

    /// <summary>Payload bytes of a datagram.</summary>
    public required int SizeBytes { get; set; }

    /// <summary>Time to receive and visit one queued datagram, in nanoseconds.</summary>
    public required double ReceiveNanosecondsPerDatagram { get; set; }

    /// <summary>Time to write 8 bytes into one datagram and send it, in nanoseconds.</summary>
    public required double SendNanosecondsPerDatagram { get; set; }

    /// <summary>The receive nanoseconds per datagram of each round, in the order of the rounds.</summary>
    public double[] Samples { get; set; } = [];

    /// <summary>
    /// How far <see cref="Samples"/> lie apart, see <c>SpreadPercent</c>. Not part of the JSON.
    /// </summary>
    [JsonIgnore]
    public double ReceiveSpreadPercent { get; set; }

    /// <summary>How far the send times of the rounds lie apart. Not part of the JSON.</summary>
    [JsonIgnore]
    public double SendSpreadPercent { get; set; }

    /// <summary>
    /// GSO messages that the route refused. Each makes the row slower than it should be. Not part of the JSON.
    /// </summary>
    [JsonIgnore]
    public long GsoFallbacks { get; set; }

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(nameof(DrainRow), PrintMembers, (nameof(Samples), Samples));
}
