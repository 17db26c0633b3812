using System.Text;
using Spate.Sockets;
using Spate.Testing.Memory;

namespace Spate.Testing;

/// <summary>
/// A datagram that a <see cref="TestShard"/> or a batch of <see cref="TestBatches"/> receives. Two values are equal if
/// all their members are, and their payloads byte for byte.
/// </summary>
/// <example><code>
/// shard.ReceiveBatch(new IncomingDatagram(peer, "hello"u8) { TimeToLive = 1 });
/// </code></example>
public sealed record IncomingDatagram
{
    /// <summary>Makes a datagram without metadata.</summary>
    /// <param name="peer">The peer that sends the datagram. Port 0 is possible, as in a forged datagram.</param>
    /// <param name="payload">The payload, 0 to 65,527 bytes, which is copied.</param>
    /// <exception cref="ArgumentException">The peer is <c>default</c>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The payload is too long for a datagram.</exception>
    public IncomingDatagram(UdpEndPoint peer, ReadOnlySpan<byte> payload)
    {
        if (peer.IsDefault)
        {
            throw new ArgumentException("A datagram comes from a peer, like UdpEndPoint.Parse(\"192.0.2.1:40000\").",
                nameof(peer));
        }

        if (payload.Length > SendBatch.MaxPayloadBytes)
        {
            throw new ArgumentOutOfRangeException(
                nameof(payload), payload.Length, $"A datagram has 0 to {SendBatch.MaxPayloadBytes} bytes of payload.");
        }

        Peer = peer;
        Payload = payload.ToArray();
    }

    /// <summary>The peer that sends the datagram.</summary>
    public UdpEndPoint Peer { get; }

    /// <summary>A copy of the payload.</summary>
    public ReadOnlyMemory<byte> Payload { get; }

    /// <summary>
    /// The index, in <see cref="Serving.UdpShard.LocalEndPoints"/>, of the local end point at which a
    /// <see cref="TestShard"/> receives the datagram. Default 0.
    /// </summary>
    public int LocalEndPointIndex { get; init; }

    /// <summary>
    /// <see cref="Datagram.LocalAddress"/>: the address that the datagram was sent to. Default <c>default</c>: not
    /// reported. Replies of <see cref="SendBatch.TryReserveReply"/> get the address as their source, unless it is a
    /// multicast or broadcast address.
    /// </summary>
    /// <exception cref="ArgumentException">The address is not of the family of <see cref="Peer"/>.</exception>
    public UdpAddress LocalAddress
    {
        get;
        init
        {
            if (!value.IsDefault && value.IsIPv4 != Peer.IsIPv4)
            {
                throw new ArgumentException(
                    $"LocalAddress {value} must be of the family of the peer {Peer}, or default.",
                    nameof(LocalAddress));
            }

            field = value;
        }
    }

    /// <summary>
    /// <see cref="Datagram.InterfaceIndex"/>: the index of the interface that received the datagram, 1 or more. Default
    /// null: not reported.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The index is out of its range.</exception>
    public int? InterfaceIndex
    {
        get;
        init => field = InRange(value, 1, int.MaxValue, nameof(InterfaceIndex));
    }

    /// <summary><see cref="Datagram.TrafficClass"/>: DSCP and ECN, 0 to 255. Default null: not reported.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The traffic class is out of its range.</exception>
    public int? TrafficClass
    {
        get;
        init => field = InRange(value, 0, byte.MaxValue, nameof(TrafficClass));
    }

    /// <summary>
    /// <see cref="Datagram.TimeToLive"/>: the time to live or hop limit, 0 to 255. Default null: not reported.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The time to live is out of its range.</exception>
    public int? TimeToLive
    {
        get;
        init => field = InRange(value, 0, byte.MaxValue, nameof(TimeToLive));
    }

    /// <summary>
    /// <see cref="Datagram.TimestampUnixNanoseconds"/>: the time of arrival in nanoseconds since 1970 UTC. Default
    /// null: not reported.
    /// </summary>
    public long? TimestampUnixNanoseconds { get; init; }

    /// <summary>
    /// <see cref="Datagram.IsTruncated"/>: whether the datagram was longer than its slot. Default false. A payload
    /// longer than <see cref="ReceiveBatchOptions.SlotBytes"/> is truncated in any case.
    /// </summary>
    public bool IsTruncated { get; init; }

    /// <inheritdoc/>
    public bool Equals(IncomingDatagram? other) =>
        other is not null && Peer == other.Peer && Payload.Span.SequenceEqual(other.Payload.Span)
        && LocalEndPointIndex == other.LocalEndPointIndex
        && LocalAddress == other.LocalAddress && InterfaceIndex == other.InterfaceIndex
        && TrafficClass == other.TrafficClass && TimeToLive == other.TimeToLive
        && TimestampUnixNanoseconds == other.TimestampUnixNanoseconds && IsTruncated == other.IsTruncated;

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Peer, Payload.Length, TrafficClass, TimeToLive);

    private static int? InRange(int? value, int min, int max, string name)
    {
        OptionChecks.RequireRange(value, min, max, name, ", or null to report none");
        return value;
    }

    private bool PrintMembers(StringBuilder text)
    {
        DatagramText.Append(text, Peer, Payload.Span);
        if (LocalEndPointIndex != 0) text.Append(", LocalEndPointIndex = ").Append(LocalEndPointIndex);
        if (!LocalAddress.IsDefault) text.Append(", LocalAddress = ").Append(LocalAddress);
        if (InterfaceIndex is not null) text.Append(", InterfaceIndex = ").Append(InterfaceIndex);
        if (TrafficClass is not null) text.Append(", TrafficClass = ").Append(TrafficClass);
        if (TimeToLive is not null) text.Append(", TimeToLive = ").Append(TimeToLive);
        if (TimestampUnixNanoseconds is not null)
        {
            text.Append(", TimestampUnixNanoseconds = ").Append(TimestampUnixNanoseconds);
        }
        if (IsTruncated) text.Append(", IsTruncated = True");
        return true;
    }
}
