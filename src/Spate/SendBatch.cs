using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Spate.Buffers;

namespace Spate;

/// <summary>
/// Datagrams that wait to be sent together. You can write payloads directly into the memory of the batch.
/// <see cref="UdpSocket.CreateSendBatch"/> makes a batch. The batch works with any socket of the same backend.
/// Datagrams to one peer keep their order. Datagrams to different peers may overtake each other, so that each peer's
/// datagrams can be sent as GSO messages. Datagrams that a send neither sent nor refused stay in the batch for the next
/// send. A batch is not safe for use by several threads at once. A send has exclusive use of the batch until the call
/// ends; an awaited send also has it while it waits. Until then, only <see cref="Count"/>, <see cref="Capacity"/> and
/// <see cref="Dispose"/> are allowed. Any other use throws <see cref="InvalidOperationException"/>.
/// </summary>
/// <example><code>
/// while (batch.TryReserve(peer, 1200, out Span&lt;byte&gt; payload)) batch.Trim(Fill(payload));
/// SendResult result = socket.Send(batch);
/// </code></example>
public sealed class SendBatch : IDisposable
{
    /// <summary>
    /// The largest payload of a datagram: 65,527 bytes over IPv6. IPv4 allows only 65,507 bytes; a longer datagram to
    /// an IPv4 peer is refused when it is sent.
    /// </summary>
    public const int MaxPayloadBytes = SendQueue.MaxPayloadBytes;

    internal SendBatch(SendQueue queue) => Queue = queue;

    /// <summary>The number of datagrams in the batch that are still to be sent.</summary>
    public int Count => Queue.Plan.Count;

    /// <summary>
    /// The maximum number of datagrams in the batch. Sent datagrams also count against this maximum until the whole
    /// batch is empty.
    /// </summary>
    public int Capacity => Queue.Capacity;

    /// <summary>The queue that the backend's sender reads.</summary>
    internal SendQueue Queue { get; }

    /// <summary>Whether a server lends the batch to handlers, which then cannot dispose it.</summary>
    internal bool IsLent { get; set; }

    /// <summary>
    /// Reserves room for one datagram and returns the memory for its payload. The memory contains zeros, or bytes of
    /// earlier datagrams of this batch to the same peer. It contains no bytes of another peer, unless
    /// <see cref="SendBatchOptions.KeepOldBytes"/> is set. So a reservation that is neither filled nor shortened by
    /// <see cref="Trim"/> cannot send another peer's bytes.
    /// </summary>
    /// <remarks>
    /// Memory that datagrams to other peers have used is zeroed once per filling of the batch. That costs about 1 ns
    /// per datagram of 64 bytes and 8 ns per datagram of 1,380 bytes, and nothing while all datagrams go to one peer.
    /// The default peer of connected sockets counts as another peer in each filling, because several sockets may send
    /// the batch. The bytes that <see cref="Trim"/> cuts off are zeroed if the next datagram goes to another peer. So
    /// if peers alternate, each datagram costs its trimmed bytes: about 15 ns if 1,380 bytes are reserved and 64 sent,
    /// and 390 ns if 65,507 bytes are reserved. Reserve no more than the datagram may need.
    /// </remarks>
    /// <param name="peer">
    /// The destination; on a connected socket, its peer or <c>default</c>. A datagram to port 0 is accepted here, but
    /// refused when it is sent. This can happen in replies, because a received datagram may have source port 0.
    /// </param>
    /// <param name="length">
    /// The payload bytes, 0 to 65,527. <see cref="Trim"/> can shorten the datagram afterwards.
    /// </param>
    /// <param name="payload">The reserved memory, valid until the next change of this batch.</param>
    /// <returns>False if the batch is full: send it first. The batch is unchanged then.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The length is not from 0 to 65,527.</exception>
    /// <exception cref="InvalidOperationException">Another call is sending the batch.</exception>
    /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryReserve(scoped in UdpEndPoint peer, int length, out Span<byte> payload) =>
        Queue.TryReserve(peer, length, out payload);

    /// <summary>Reserves room for one datagram to the peer that the socket is connected to.</summary>
    /// <inheritdoc cref="TryReserve(in UdpEndPoint, int, out Span{byte})"/>
    public bool TryReserve(int length, out Span<byte> payload) => TryReserve(default, length, out payload);

    /// <summary>Reserves room for one datagram that has send options of its own.</summary>
    /// <inheritdoc cref="TryReserve(in UdpEndPoint, int, out Span{byte})"/>
    /// <exception cref="ArgumentException">
    /// <see cref="SendControl.LocalAddress"/> is not of the peer's family. If the datagram has no peer, only the send
    /// checks the family, and throws <see cref="InvalidOperationException"/>.
    /// </exception>
    public bool TryReserve(
        scoped in UdpEndPoint peer, scoped in SendControl control, int length, out Span<byte> payload)
    {
        if (!peer.IsDefault && !control.Suits(peer)) ThrowFamilies(control, peer);
        return Queue.TryReserve(peer, control, length, out payload);
    }

    /// <summary>
    /// Reserves room for a reply to the peer of the request. If the socket was opened with
    /// <see cref="UdpMetadata.LocalAddress"/>, the reply's source address is the address that the request was sent to.
    /// If the request was sent to a broadcast or multicast address, the system chooses the reply's source address.
    /// </summary>
    /// <inheritdoc cref="TryReserve(in UdpEndPoint, int, out Span{byte})"/>
    public bool TryReserveReply(scoped in Datagram request, int length, out Span<byte> payload) =>
        Queue.TryReserve(request.Peer, ReplyControl(request), length, out payload);

    /// <summary>Shortens the datagram that was reserved last.</summary>
    /// <param name="length">The actual length of the datagram, at most the reserved length.</param>
    /// <exception cref="InvalidOperationException">No datagram was reserved since the last send or forward.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The length is more than the reserved length.</exception>
    public void Trim(int length) => Queue.Trim(length);

    /// <summary>Adds a datagram by copying its payload into the batch.</summary>
    /// <param name="payload">The payload, 0 to 65,527 bytes.</param>
    /// <param name="peer">
    /// The destination, as for <see cref="TryReserve(in UdpEndPoint, int, out Span{byte})"/>; on a connected socket,
    /// its peer or <c>default</c>.
    /// </param>
    /// <returns>False if the batch is full: send it first. The batch is unchanged then.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The payload is too long for a datagram.</exception>
    /// <exception cref="InvalidOperationException">Another call is sending the batch.</exception>
    /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
    public bool TryAdd(ReadOnlySpan<byte> payload, in UdpEndPoint peer)
    {
        if (!TryReserve(peer, payload.Length, out Span<byte> room)) return false;
        payload.CopyTo(room);
        return true;
    }

    /// <summary>
    /// Adds a received datagram without copying it. This batch references the datagram's buffer until this batch is
    /// empty, so the receive batch can be used for the next receive at once. If you change the payload before the send,
    /// the changed bytes are sent.
    /// </summary>
    /// <param name="datagram">The received datagram.</param>
    /// <param name="peer">The destination.</param>
    /// <returns>False if the batch is full: send it first. The batch is unchanged then.</returns>
    /// <exception cref="InvalidOperationException">
    /// The datagram is from an earlier receive and the receive batch has replaced its buffer, or another call is using
    /// one of the two batches.
    /// </exception>
    public bool TryForward(in Datagram datagram, in UdpEndPoint peer) => TryForward(in datagram, in peer, default);

    /// <summary>Adds a received datagram that has send options of its own, without copying it.</summary>
    /// <inheritdoc cref="TryForward(in Datagram, in UdpEndPoint)" path="/*[not(self::param)]"/>
    /// <param name="datagram">The received datagram.</param>
    /// <param name="peer">The destination.</param>
    /// <param name="control">
    /// The send options. Datagrams with the same peer and the same options may be sent as one GSO message.
    /// </param>
    /// <exception cref="ArgumentException">
    /// <see cref="SendControl.LocalAddress"/> is not of the peer's family.
    /// </exception>
    public bool TryForward(scoped in Datagram datagram, scoped in UdpEndPoint peer, scoped in SendControl control)
    {
        if (!peer.IsDefault && !control.Suits(peer)) ThrowFamilies(control, peer);
        if (!Queue.CanForward()) return false;
        datagram.Slots?.Use.RequireFree();
        SlotBuffer? buffer = datagram.Buffer;
        int offsetBytes = buffer?.OffsetOf(datagram.Payload) ?? -1;
        if (offsetBytes < 0) ThrowStale();
        Queue.Forward(peer, control, buffer!, offsetBytes, datagram.Payload.Length);
        datagram.Slots!.NoteShared();
        return true;
    }

    /// <summary>Drops all datagrams that have not been sent.</summary>
    /// <exception cref="InvalidOperationException">Another call is sending the batch.</exception>
    /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
    public void Clear() => Queue.Clear();

    /// <summary>
    /// Drops all datagrams and releases the received buffers that the batch references. Further use throws
    /// <see cref="ObjectDisposedException"/>. A call that is sending the batch, also an awaited call, runs to its end
    /// and then releases the buffers. Any thread may call this, any number of times. The call has no effect on a batch
    /// that a <c>UdpServer</c> lends to its handler, because the server still needs the batch; use <see cref="Clear"/>
    /// there to drop the datagrams.
    /// </summary>
    public void Dispose()
    {
        if (!IsLent) Queue.Dispose();
    }

    /// <summary>The send options of a reply that leaves from the address that was asked.</summary>
    internal static SendControl ReplyControl(scoped in Datagram request)
    {
        UdpAddress local = request.Info.ReplyAddress;
        if (local.IsDefault) return default;

        // The route chooses the interface of the reply, which may differ from the request's interface. Only a
        // link-local address needs an explicit interface: without one, such an address is ambiguous.
        bool needsInterface = local.IsLinkLocal || request.Peer.IsLinkLocal;
        return new()
        {
            LocalAddress = local,
            InterfaceIndex = needsInterface ? request.InterfaceIndex : null,
        };
    }

    [DoesNotReturn]
    private static void ThrowStale() => throw new InvalidOperationException(
        "The datagram is of an earlier receive and its buffer has been replaced: forward it before the next receive.");

    [DoesNotReturn]
    private static void ThrowFamilies(in SendControl control, in UdpEndPoint peer) => throw new ArgumentException(
        $"The local address {control.LocalAddress} is not of the family of the peer {peer}: give one that is, or none.",
        nameof(control));
}
