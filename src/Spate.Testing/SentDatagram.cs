using System.Text;
using Spate.Testing.Memory;

namespace Spate.Testing;

/// <summary>
/// A datagram that a handler sent. Two values are equal if all their members are, and their payloads byte for byte.
/// </summary>
/// <example><code>
/// Assert.Equal(new SentDatagram(peer, "hello"u8), Assert.Single(shard.Sent));
/// </code></example>
public sealed record SentDatagram
{
    /// <summary>Makes a value to compare with.</summary>
    /// <param name="peer">The peer to which the datagram is sent.</param>
    /// <param name="payload">The payload, which is copied.</param>
    public SentDatagram(UdpEndPoint peer, ReadOnlySpan<byte> payload)
    {
        Peer = peer;
        Payload = payload.ToArray();
    }

    /// <summary>
    /// The peer to which the datagram was sent; <c>default</c> in a batch for a connected socket.
    /// </summary>
    public UdpEndPoint Peer { get; }

    /// <summary>A copy of the payload.</summary>
    public ReadOnlyMemory<byte> Payload { get; }

    /// <summary>The send options of the datagram; <c>default</c> if it has none.</summary>
    public SendControl Control { get; init; }

    /// <summary>
    /// The index, in <see cref="Serving.UdpShard.LocalEndPoints"/>, of the local end point that sent the datagram.
    /// </summary>
    public int LocalEndPointIndex { get; init; }

    /// <inheritdoc/>
    public bool Equals(SentDatagram? other) =>
        other is not null && Peer == other.Peer && Payload.Span.SequenceEqual(other.Payload.Span)
        && Control == other.Control && LocalEndPointIndex == other.LocalEndPointIndex;

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(Peer, Payload.Length, LocalEndPointIndex);

    private bool PrintMembers(StringBuilder text)
    {
        DatagramText.Append(text, Peer, Payload.Span);
        if (Control != default) text.Append(", Control = ").Append(Control);
        if (LocalEndPointIndex != 0) text.Append(", LocalEndPointIndex = ").Append(LocalEndPointIndex);
        return true;
    }
}
