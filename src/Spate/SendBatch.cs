using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Spate.Buffers;

namespace Spate;

/// <summary>
/// Datagrams waiting to be sent in one go, written in place. Made by <see cref="UdpSocket.CreateSendBatch"/>; serves
/// any socket of the same backend. Datagrams of one peer keep their order; different peers may overtake each other, so
/// that each peer's datagrams can leave as GSO messages. After a send the batch is empty but for what was not tried,
/// which the next send goes on with. Not safe for use by several threads at once. A call that sends the batch has it
/// until the call ends, an awaited call while it waits too; meanwhile every other use but <see cref="Count"/>, <see
/// cref="Capacity"/> and <see cref="Dispose"/> throws <see cref="InvalidOperationException"/>.
/// </summary>
/// <example><code>
/// while (batch.TryReserve(peer, 1200, out Span&lt;byte&gt; payload)) batch.Trim(Fill(payload));
/// SendResult result = socket.Send(batch);
/// </code></example>
public sealed class SendBatch : IDisposable
{
    /// <summary>
    /// The largest payload of a datagram: 65,527 bytes over IPv6; IPv4 allows 65,507 and refuses more when sent.
    /// </summary>
    public const int MaxPayloadBytes = SendQueue.MaxPayloadBytes;

    internal SendBatch(SendQueue queue) => Queue = queue;

    /// <summary>Datagrams in the batch that are not sent yet.</summary>
    public int Count => Queue.Plan.Count;

    /// <summary>
    /// The most datagrams it can hold. Room is given back when the batch is empty again, not one by one.
    /// </summary>
    public int Capacity => Queue.Capacity;

    /// <summary>What the senders of backends see of the batch.</summary>
    internal SendQueue Queue { get; }

    /// <summary>Whether it is a server's, which lends it to handlers: they cannot dispose it.</summary>
    internal bool IsLent { get; set; }

    /// <summary>
    /// Reserves room for one datagram and lends it for writing; the memory holds old bytes until written.
    /// </summary>
    /// <param name="peer">
    /// Who it goes to; on a connected socket its peer or <c>default</c>. To port 0 nothing can be sent, but datagrams
    /// may come from it: such a datagram is refused when it is sent.
    /// </param>
    /// <param name="length">Payload bytes, 0 to 65,527. <see cref="Trim"/> may shorten it afterwards.</param>
    /// <param name="payload">The room, valid until the next change of this batch.</param>
    /// <returns>False if the batch is full: send it first. Nothing has changed then.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The length is impossible.</exception>
    /// <exception cref="InvalidOperationException">Another call is sending the batch.</exception>
    /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryReserve(scoped in UdpEndPoint peer, int length, out Span<byte> payload) =>
        Queue.TryReserve(peer, length, out payload);

    /// <summary>Reserves room for one datagram to the peer that the socket is connected to.</summary>
    /// <inheritdoc cref="TryReserve(in UdpEndPoint, int, out Span{byte})"/>
    public bool TryReserve(int length, out Span<byte> payload) => TryReserve(default, length, out payload);

    /// <summary>Reserves room for one datagram that is to leave in a given way.</summary>
    /// <inheritdoc cref="TryReserve(in UdpEndPoint, int, out Span{byte})"/>
    /// <exception cref="ArgumentException">
    /// <see cref="SendControl.LocalAddress"/> is not of the peer's family. Of a datagram without a peer only the send
    /// knows, and refuses it.
    /// </exception>
    public bool TryReserve(
        scoped in UdpEndPoint peer, scoped in SendControl control, int length, out Span<byte> payload)
    {
        if (!peer.IsDefault && !control.Suits(peer)) ThrowFamilies(control, peer);
        return Queue.TryReserve(peer, control, length, out payload);
    }

    /// <summary>
    /// Reserves room for an answer: to the request's peer, and from the address that the request was sent to, where the
    /// socket was opened with <see cref="UdpMetadata.LocalAddress"/>. A request to many (broadcast, multicast) is
    /// answered from the address that the system would choose.
    /// </summary>
    /// <inheritdoc cref="TryReserve(in UdpEndPoint, int, out Span{byte})"/>
    public bool TryReserveReply(scoped in Datagram request, int length, out Span<byte> payload)
    {
        // The way back is the route's choice, which may be another interface. Only a link-local address means nothing
        // without one.
        UdpEndPoint local = request.Info.ReplyAddress;
        bool needsInterface = local.IsLinkLocal || request.Peer.IsLinkLocal;
        SendControl control = local.IsDefault
            ? default
            : new()
            {
                LocalAddress = local,
                InterfaceIndex = needsInterface && request.InterfaceIndex > 0 ? request.InterfaceIndex : null,
            };
        return Queue.TryReserve(request.Peer, control, length, out payload);
    }

    /// <summary>Shortens the datagram that was reserved last.</summary>
    /// <param name="length">Its real length, at most what was reserved.</param>
    /// <exception cref="InvalidOperationException">Nothing was reserved since the last send or forward.</exception>
    /// <exception cref="ArgumentOutOfRangeException">More than was reserved.</exception>
    public void Trim(int length) => Queue.Trim(length);

    /// <summary>Copies a datagram into the batch.</summary>
    /// <param name="payload">The payload, 0 to 65,527 bytes.</param>
    /// <param name="peer">The address it goes to, as of <see cref="TryReserve(in UdpEndPoint, int, out Span{byte})"/>;
    /// on a connected socket its peer or <c>default</c>.</param>
    /// <returns>False if the batch is full: send it first. Nothing has changed then.</returns>
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
    /// Adds a received datagram without copying it. Its buffer is held until it is sent, so the batch it came in may go
    /// on receiving; what is written to its payload meanwhile is what will be sent.
    /// </summary>
    /// <param name="datagram">The received datagram.</param>
    /// <param name="peer">Who it goes to.</param>
    /// <returns>False if the batch is full: send it first.</returns>
    /// <exception cref="InvalidOperationException">
    /// The datagram is of an earlier receive, and its buffer is no longer the batch's; or another call has one of the
    /// two batches.
    /// </exception>
    public bool TryForward(in Datagram datagram, in UdpEndPoint peer) => TryForward(in datagram, in peer, default);

    /// <summary>Adds a received datagram without copying it, to leave in a given way.</summary>
    /// <inheritdoc cref="TryForward(in Datagram, in UdpEndPoint)"/>
    /// <param name="datagram">The received datagram.</param>
    /// <param name="peer">Who it goes to.</param>
    /// <param name="control">
    /// How it is to leave. Datagrams of one peer and one control may travel as one GSO message.
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

    /// <summary>Drops everything that is not sent.</summary>
    /// <exception cref="InvalidOperationException">Another call is sending the batch.</exception>
    /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
    public void Clear() => Queue.Clear();

    /// <summary>
    /// Drops everything and releases the received buffers that the batch holds; further use throws
    /// <see cref="ObjectDisposedException"/>. A call that is sending the batch, an awaited one too, goes on to its end
    /// and releases them then. Any thread may call, any number of times. A batch that a <c>UdpServer</c> lends to its
    /// handler stays the server's: there the call has no effect, so drop what is in the batch with <see cref="Clear"/>.
    /// </summary>
    public void Dispose()
    {
        if (!IsLent) Queue.Dispose();
    }

    [DoesNotReturn]
    private static void ThrowStale() => throw new InvalidOperationException(
        "The datagram is of an earlier receive and its buffer has been replaced: forward it before the next receive.");

    [DoesNotReturn]
    private static void ThrowFamilies(in SendControl control, in UdpEndPoint peer) => throw new ArgumentException(
        $"The local address {control.LocalAddress} is not of the family of the peer {peer}: give one that is, or none.",
        nameof(control));
}
