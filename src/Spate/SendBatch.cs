using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Trains;

namespace Spate;

/// <summary>
/// Datagrams waiting to be sent in one go, written in place. Made by <see cref="UdpSocket.CreateSendBatch"/>; serves
/// any socket of the same backend. Datagrams of one peer keep their order; different peers may overtake each other, so
/// that each peer's datagrams can leave as trains. After a send the batch is empty but for what was not tried, which
/// the next send goes on with. Not safe for use by several threads at once; while a call sends it, every other call is
/// refused with <see cref="InvalidOperationException"/>.
/// </summary>
/// <example><code>
/// while (batch.TryReserve(peer, 1200, out Span&lt;byte&gt; payload)) batch.Trim(Fill(payload));
/// SendResult result = socket.Send(batch);
/// </code></example>
public sealed partial class SendBatch : IDisposable
{
    /// <summary>
    /// The largest payload of a datagram: 65,527 bytes over IPv6; IPv4 allows 65,507 and refuses more when sent.
    /// </summary>
    public const int PayloadBytesMax = 65_527;

    private const int NoReservation = -1;

    /// <summary>
    /// Below every place in the buffer, so that nothing takes the short way. A size cannot say it: whatever stood for
    /// none could be asked for as a length.
    /// </summary>
    private const int NoOpenRun = -1;

    private readonly byte[] _buffer;
    private readonly TrainPlan _plan;
    private SendRun[] _runs;
    private int _runCount;
    private int _usedBytes;
    private int _count;
    private int _addedCount;
    private int _reservedBytes = NoReservation;
    private UdpEndPoint _openPeer;
    private int _openBytes;
    private int _openLimitBytes = NoOpenRun;
    private int _openCount;

    internal SendBatch(UdpBackend backend, int capacity, int bufferBytes)
    {
        Backend = backend;
        Capacity = capacity;
        _buffer = GC.AllocateUninitializedArray<byte>(bufferBytes, pinned: true);
        _plan = new TrainPlan(capacity);
        _runs = new SendRun[Math.Min(capacity, 64)];
    }

    /// <summary>Datagrams in the batch that are not sent yet.</summary>
    public int Count => _count + _openCount;

    /// <summary>
    /// The most datagrams it can hold. Room is given back when the batch is empty again, not one by one.
    /// </summary>
    public int Capacity { get; }

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
    public bool TryReserve(scoped in UdpEndPoint peer, int length, out Span<byte> payload)
    {
        // One more of the run under way, the case worth nanoseconds. It is only counted here; Fold tells the run.
        int offsetBytes = _usedBytes;
        if (length == _openBytes && offsetBytes <= _openLimitBytes && _openPeer.Equals(in peer))
        {
            _openCount++;
            _usedBytes = offsetBytes + length;
            payload = _buffer.AsSpan(offsetBytes, length);
            return true;
        }

        return TryReserve(peer, SendRun.NoControl, length, out payload);
    }

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
        return TryReserveWith(peer, control, length, out payload);
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
            : new() { LocalAddress = local, InterfaceIndex = needsInterface ? request.InterfaceIndex : 0 };
        return TryReserveWith(request.Peer, control, length, out payload);
    }

    /// <summary>Shortens the datagram that was reserved last.</summary>
    /// <param name="length">Its real length, at most what was reserved.</param>
    /// <exception cref="InvalidOperationException">Nothing was reserved since the last send or forward.</exception>
    /// <exception cref="ArgumentOutOfRangeException">More than was reserved.</exception>
    public void Trim(int length)
    {
        Fold();
        if (_reservedBytes < 0) ThrowNoReservation();
        if ((uint)length > (uint)_reservedBytes) ThrowTrim(length);
        if (length == _reservedBytes) return;
        _openLimitBytes = NoOpenRun;
        _usedBytes -= _reservedBytes - length;
        _reservedBytes = length;
        TrimLastRun(length);
    }

    /// <summary>Copies a datagram into the batch.</summary>
    /// <returns>False if the batch is full: send it first.</returns>
    /// <inheritdoc cref="TryReserve(in UdpEndPoint, int, out Span{byte})"/>
    public bool TryAdd(in UdpEndPoint peer, ReadOnlySpan<byte> payload)
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
    /// The datagram is of an earlier receive, and its buffer is no longer the batch's; or another call is sending this
    /// batch.
    /// </exception>
    public bool TryForward(in Datagram datagram, in UdpEndPoint peer)
    {
        Use.RequireFree();
        Fold();
        if (_addedCount == Capacity) return false;
        SlotBuffer? buffer = datagram.Buffer;
        int offsetBytes = buffer?.OffsetOf(datagram.Payload) ?? -1;
        if (offsetBytes < 0) ThrowStale();
        EndRun();
        int bufferIndex = IndexOf(buffer!, datagram.Batch!);
        AddDatagram(peer, SendRun.NoControl, bufferIndex, offsetBytes, datagram.Payload.Length);
        _addedCount++;
        _count++;
        return true;
    }

    /// <summary>Drops everything that is not sent.</summary>
    /// <exception cref="InvalidOperationException">Another call is sending the batch.</exception>
    /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
    public void Clear()
    {
        Use.Enter();
        Reset();
        Use.Leave();
    }

    /// <summary>Drops everything; the batch cannot be used any more.</summary>
    /// <exception cref="InvalidOperationException">
    /// Another call is sending the batch, or it is a server's, lent to a handler.
    /// </exception>
    public void Dispose()
    {
        if (IsLent) ThrowLent();
        if (!TryDispose()) Use.RequireEnded();
    }

    private void Reset()
    {
        _plan.Clear();
        _runCount = 0;
        _usedBytes = 0;
        _count = 0;
        _addedCount = 0;
        _openCount = 0;
        _openLimitBytes = NoOpenRun;
        _reservedBytes = NoReservation;
        _nextTrain = 0;
        _nextSegment = 0;
        _plannedRunCount = 0;
        _controlCount = 0;
        LetForeignGo();
    }

    // Without room nothing changes, so the control is not kept either.
    private bool TryReserveWith(
        scoped in UdpEndPoint peer, scoped in SendControl control, int length, out Span<byte> payload)
    {
        payload = default;
        return HasRoom(length) && TryReserve(peer, IndexOf(control), length, out payload);
    }

    private bool HasRoom(int length)
    {
        Use.RequireFree();
        if ((uint)length > PayloadBytesMax) ThrowReserve(length);
        Fold();
        return _addedCount < Capacity && length <= _buffer.Length - _usedBytes;
    }

    private bool TryReserve(scoped in UdpEndPoint peer, int controlIndex, int length, out Span<byte> payload)
    {
        if (!HasRoom(length))
        {
            payload = default;
            return false;
        }

        int offsetBytes = _usedBytes;
        AddDatagram(peer, controlIndex, SendRun.OwnBuffer, offsetBytes, length);
        payload = _buffer.AsSpan(offsetBytes, length);
        _usedBytes = offsetBytes + length;
        _reservedBytes = length;
        _addedCount++;
        _count++;
        if (controlIndex == SendRun.NoControl) OpenRun(peer, length);
        else _openLimitBytes = NoOpenRun;
        return true;
    }

    /// <summary>
    /// Lets the next reservations of this peer and size take the short way, as long as there is room.
    /// </summary>
    private void OpenRun(in UdpEndPoint peer, int length)
    {
        ref readonly SendRun run = ref _runs[_runCount - 1];
        _openLimitBytes = NoOpenRun;
        if (length == 0 || run.SegmentBytes != length) return;
        _openBytes = length;
        _openPeer = peer;
        long roomBytes = Math.Min(_buffer.Length - _usedBytes, (long)(Capacity - _addedCount) * length);
        _openLimitBytes = _usedBytes + (int)roomBytes - length;
    }

    /// <summary>Tells the run under way what was added to it in the short way.</summary>
    private void Fold()
    {
        if (_openCount == 0) return;
        _runs[_runCount - 1].SegmentCount += _openCount;
        _addedCount += _openCount;
        _count += _openCount;
        _reservedBytes = _openBytes;
        _openCount = 0;
    }

    /// <summary>What comes next starts a new run, and nothing can be trimmed any more.</summary>
    private void EndRun()
    {
        Fold();
        _openLimitBytes = NoOpenRun;
        _reservedBytes = NoReservation;
    }

    private void TrimLastRun(int length)
    {
        ref SendRun run = ref _runs[_runCount - 1];
        if (run.SegmentCount == 1)
        {
            run.SegmentBytes = length;
            run.LastBytes = length;

            // Reserved larger than the run before, it may have become its next segment.
            if (_runCount - 1 > _plannedRunCount && _runs[_runCount - 2].TryExtend(
                run.Peer, run.ControlIndex, run.BufferIndex, run.OffsetBytes, length))
            {
                _runCount--;
            }
        }
        else if (length > 0)
        {
            run.LastBytes = length;
        }
        else
        {
            // An empty datagram is always a run of its own.
            run.SegmentCount--;
            run.LastBytes = run.SegmentBytes;
            AddRun(run.Peer, run.ControlIndex, run.BufferIndex, _usedBytes, 0);
        }
    }

    private void AddDatagram(in UdpEndPoint peer, int controlIndex, int bufferIndex, int offsetBytes, int lengthBytes)
    {
        if (_runCount > _plannedRunCount
            && _runs[_runCount - 1].TryExtend(peer, controlIndex, bufferIndex, offsetBytes, lengthBytes))
        {
            return;
        }

        AddRun(peer, controlIndex, bufferIndex, offsetBytes, lengthBytes);
    }

    private void AddRun(in UdpEndPoint peer, int controlIndex, int bufferIndex, int offsetBytes, int lengthBytes)
    {
        SendRun run = new(peer, controlIndex, bufferIndex, offsetBytes, lengthBytes);
        if (_runCount == _runs.Length) Array.Resize(ref _runs, Math.Min(Capacity, _runs.Length * 2));
        _runs[_runCount++] = run;
    }

    [DoesNotReturn]
    private static void ThrowReserve(int length) => throw new ArgumentOutOfRangeException(
        nameof(length), length, $"A datagram has 0 to {PayloadBytesMax} bytes of payload.");

    [DoesNotReturn]
    private void ThrowNoReservation()
    {
        Use.RequireFree();
        throw new InvalidOperationException("There is no reservation to trim: call TryReserve first.");
    }

    [DoesNotReturn]
    private static void ThrowLent() => throw new InvalidOperationException(
        "The batch is the server's, which goes on using it: drop what is in it with Clear.");

    [DoesNotReturn]
    private static void ThrowStale() => throw new InvalidOperationException(
        "The datagram is of an earlier receive and its buffer has been replaced: forward it before the next receive.");

    [DoesNotReturn]
    private static void ThrowFamilies(in SendControl control, in UdpEndPoint peer) => throw new ArgumentException(
        $"The local address {control.LocalAddress} is not of the family of the peer {peer}: give one that is, or none.",
        nameof(control));

    [DoesNotReturn]
    private void ThrowTrim(int length) => throw new ArgumentOutOfRangeException(
        nameof(length), length, $"Only {_reservedBytes} bytes were reserved; "
        + "a reservation can be shortened, not grown.");
}
