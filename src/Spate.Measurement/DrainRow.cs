namespace Spate.Measurement;

/// <summary>One way to move datagrams, at one size: medians over the rounds.</summary>
public sealed class DrainRow
{
    /// <summary>The way, as <c>spate-mmsg-gso-gro</c>.</summary>
    public required string Name { get; set; }

    /// <summary>Payload bytes of a datagram.</summary>
    public required int SizeBytes { get; set; }

    /// <summary>Nanoseconds of emptying the socket, per datagram received.</summary>
    public required double ReceiveNanosecondsPerDatagram { get; set; }

    /// <summary>Nanoseconds of filling the socket, per datagram sent.</summary>
    public required double SendNanosecondsPerDatagram { get; set; }
}
