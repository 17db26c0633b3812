namespace Spate.Tests.Contracts;

/// <summary>A copy of a received datagram and of all that came with it.</summary>
internal sealed record Incoming(
    UdpEndPoint Peer,
    byte[] Payload,
    bool IsTruncated,
    UdpAddress LocalAddress,
    int? InterfaceIndex,
    int? TrafficClass,
    int? TimeToLive,
    long? TimestampUnixNanoseconds)
{
    public static Incoming From(in Datagram datagram) => new(
        datagram.Peer,
        datagram.Payload.ToArray(),
        datagram.IsTruncated,
        datagram.LocalAddress,
        datagram.InterfaceIndex,
        datagram.TrafficClass,
        datagram.TimeToLive,
        datagram.TimestampUnixNanoseconds);

    public static Incoming From(in ReceivedDatagram datagram, ReadOnlySpan<byte> buffer) => new(
        datagram.Peer,
        buffer[..datagram.Length].ToArray(),
        datagram.IsTruncated,
        datagram.LocalAddress,
        datagram.InterfaceIndex,
        datagram.TrafficClass,
        datagram.TimeToLive,
        datagram.TimestampUnixNanoseconds);
}
