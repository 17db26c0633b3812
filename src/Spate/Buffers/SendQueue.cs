using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Segmentation;

namespace Spate.Buffers;

/// <summary>
/// The internal part of a send batch: the pinned memory that datagrams are written into, the received buffers that are
/// forwarded, the controls (send options of single datagrams), and the plan of GSO messages. Memory and controls are
/// released together, when every datagram has been sent or refused.
/// <para>
/// A reservation never shows bytes of another peer, because a datagram that is not filled completely would send them.
/// Memory that was used before is zeroed when a datagram to another peer needs it: all of it in one call, since one
/// long fill costs less than a short one per datagram. A queue whose datagrams all go to one peer zeroes nothing. The
/// bytes that <see cref="Trim"/> cuts off may have been written, so they are zeroed too if the next datagram goes to
/// another peer.
/// </para>
/// </summary>
internal sealed class SendQueue
{
    /// <summary>The largest payload: the 65,535 bytes of an IPv6 payload, less the 8 bytes of the UDP header.</summary>
    public const int MaxPayloadBytes = 65_527;

    private readonly byte[] _buffer;
    private readonly List<SlotBuffer> _forwarded = [];
    private SendControl[] _controls = [];
    private int _controlCount;
    private int _usedBytes;

    // Memory from here on, and from _usedBytes on, was never reserved since it was zeroed. The memory from _usedBytes
    // up to here has old bytes: of datagrams to _oldPeer alone, or of any peers if that peer is not known.
    private int _oldBytes;
    private UdpEndPoint _oldPeer;
    private bool _knowsOldPeer;

    // Whether the memory before _usedBytes has bytes of other peers than _oldPeer.
    private bool _hasOtherPeers;

    /// <summary>
    /// Lets only one call at a time use the queue. A call that sends or clears calls <see cref="ExclusiveUse.Enter"/>
    /// first, and <see cref="Leave"/> at its end. <c>TryReserve</c> does not test this when a datagram continues the
    /// open run (the short way). So a send ends the open run with <see cref="SendPlan.Settle"/>.
    /// </summary>
    public ExclusiveUse Use;

    /// <param name="limits">The limits of one GSO message.</param>
    /// <param name="capacity">The most datagrams.</param>
    /// <param name="bufferBytes">The memory for payloads.</param>
    /// <param name="headers">The message headers, for a sender that needs them.</param>
    public SendQueue(in GsoLimits limits, int capacity, int bufferBytes, SendHeaders? headers = null)
    {
        Capacity = capacity;
        Headers = headers;
        Plan = new SendPlan(limits, capacity);
        _buffer = GC.AllocateArray<byte>(bufferBytes, pinned: true);
    }

    public SendPlan Plan { get; }

    public int Capacity { get; }

    /// <summary>Whether reservations may show bytes of other peers, so that nothing is zeroed.</summary>
    public bool KeepOldBytes { get; set; }

    /// <summary>The message headers that the sender fills from the plan; null for a sender that needs none.</summary>
    public SendHeaders? Headers { get; }

    public bool HasControls => _controlCount > 0;

    /// <summary>The send options of all datagrams, each value about once.</summary>
    public ReadOnlySpan<SendControl> Controls => _controls.AsSpan(0, _controlCount);

    /// <summary>The send options at an index, for example at <see cref="GsoMessage.ControlIndex"/>.</summary>
    public ref readonly SendControl ControlAt(int controlIndex)
    {
        Debug.Assert((uint)controlIndex < (uint)_controlCount, "The control is of an earlier filling of the queue.");
        return ref _controls[controlIndex];
    }

    /// <summary>Reserves room for one datagram. Returns false if the queue is full.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryReserve(scoped in UdpEndPoint peer, int length, out Span<byte> payload)
    {
        // The short way: if the datagram continues the open run, only counters change.
        ref SendRun open = ref Plan.Open;
        int offsetBytes = _usedBytes;
        if (length == open.SegmentBytes && offsetBytes <= open.LimitBytes && open.Peer.Equals(in peer))
        {
            Debug.Assert(offsetBytes == open.OffsetBytes + (open.SegmentCount * open.SegmentBytes));
            Debug.Assert(Plan.AddedCount < Capacity, "LimitBytes stops the short way at the capacity.");
            open.SegmentCount++;
            _usedBytes = offsetBytes + length;
            payload = _buffer.AsSpan(offsetBytes, length);
            return true;
        }

        payload = default;
        return HasRoom(length) && Place(peer, SendRun.NoControl, length, out payload);
    }

    public bool TryReserve(
        scoped in UdpEndPoint peer, scoped in SendControl control, int length, out Span<byte> payload)
    {
        // Without room, the queue must not change. So HasRoom runs before IndexOf, which may store the control.
        payload = default;
        return HasRoom(length) && Place(peer, IndexOf(control), length, out payload);
    }

    /// <summary>Shortens the datagram that was reserved last.</summary>
    public void Trim(int length)
    {
        ref SendRun open = ref Plan.Open;
        if (open.SegmentCount == 0 || open.Buffer != _buffer) ThrowNoReservation();
        int reservedBytes = open.LastBytes;
        if ((uint)length > (uint)reservedBytes) ThrowTrim(length, reservedBytes);
        if (length == reservedBytes) return;
        open.Trim(length);
        _oldBytes = Math.Max(_oldBytes, _usedBytes);
        _usedBytes -= reservedBytes - length;
    }

    /// <summary>Whether the queue has room for one more forwarded datagram.</summary>
    public bool CanForward()
    {
        Use.RequireFree();
        return Plan.AddedCount < Capacity;
    }

    /// <summary>
    /// Adds a received datagram without copying it; call <see cref="CanForward"/> first. The queue references the
    /// datagram's buffer until the queue is empty, so the receive batch takes another buffer for its next receive.
    /// </summary>
    public void Forward(
        in UdpEndPoint peer, in SendControl control, SlotBuffer buffer, int offsetBytes, int lengthBytes)
    {
        Debug.Assert(Plan.AddedCount < Capacity, "CanForward comes first.");
        Debug.Assert(offsetBytes >= 0 && lengthBytes >= 0 && offsetBytes + lengthBytes <= buffer.LengthBytes);
        if (_forwarded.Count == 0 || _forwarded[^1] != buffer)
        {
            buffer.AddRef();
            _forwarded.Add(buffer);
        }

        Plan.Add(peer, IndexOf(control), buffer.Array, offsetBytes, lengthBytes);
    }

    /// <summary>
    /// Throws if a datagram without a peer has a source address that is not of the address family of
    /// <paramref name="remote"/>, the peer of the connected socket. The queue still contains the same datagrams after
    /// the throw.
    /// </summary>
    public void RequireSuiting(in UdpEndPoint remote)
    {
        Plan.Settle();
        foreach (ref readonly GsoMessage message in Plan.FreshMessages)
        {
            if (message.PeerBytes != 0 || message.ControlIndex < 0) continue;
            ref readonly SendControl control = ref ControlAt(message.ControlIndex);
            if (control.Suits(remote)) continue;
            throw new InvalidOperationException(
                $"A datagram of the batch is to leave from {control.LocalAddress}, which is not of the family of the "
                + $"peer {remote}: Clear the batch, and give a local address that is.");
        }
    }

    /// <summary>
    /// Throws if a datagram has a transmit time; called for a socket that was opened without EnableTransmitTimes. The
    /// kernel would answer EINVAL, the same errno as for a GSO message that the route cannot carry, so the two could
    /// not be distinguished. The queue is unchanged after the throw.
    /// </summary>
    public void RequireNoTransmitTimes()
    {
        foreach (ref readonly SendControl control in Controls)
        {
            if (control.TransmitTimeMonotonicNanoseconds is null) continue;
            throw new InvalidOperationException(
                "A datagram of the batch has a transmit time, but the socket was opened without EnableTransmitTimes: "
                + "Clear the batch, and open the socket with the option.");
        }
    }

    /// <summary>
    /// Empties the queue if nothing is still to be sent. Otherwise the unsent datagrams stay for the next send.
    /// </summary>
    public void EndSend()
    {
        if (!Plan.HasUnsent) Reset();
    }

    public void Clear()
    {
        Use.Enter();
        Reset();
        Leave();
    }

    /// <summary>
    /// Called at the end of each call that entered <see cref="Use"/>: from now on another call may use the queue.
    /// </summary>
    public void Leave()
    {
        // The default peer is that of the socket which sends the queue, and may be another one in the next send.
        if (_oldPeer.IsDefault) _knowsOldPeer = false;
        if (Use.Leave()) Reset();
    }

    /// <summary>Disposes the queue. A call that is using the queue still runs to its end.</summary>
    public void Dispose()
    {
        if (Use.End()) Reset();
    }

    [DoesNotReturn]
    private static void ThrowLength(int length) => throw new ArgumentOutOfRangeException(
        nameof(length), length, $"A datagram has 0 to {MaxPayloadBytes} bytes of payload.");

    [DoesNotReturn]
    private static void ThrowTrim(int length, int reservedBytes) => throw new ArgumentOutOfRangeException(
        nameof(length), length, $"Only {reservedBytes} bytes were reserved; "
        + "a reservation can be shortened, not grown.");

    [DoesNotReturn]
    private void ThrowNoReservation()
    {
        Use.RequireFree();
        throw new InvalidOperationException("No reservation to trim: call TryReserve first.");
    }

    private bool HasRoom(int length)
    {
        Use.RequireFree();
        if ((uint)length > MaxPayloadBytes) ThrowLength(length);
        return Plan.AddedCount < Capacity && length <= _buffer.Length - _usedBytes;
    }

    private bool Place(scoped in UdpEndPoint peer, int controlIndex, int length, out Span<byte> payload)
    {
        if (!_knowsOldPeer || !_oldPeer.Equals(in peer)) HideOldBytes(peer);
        int offsetBytes = _usedBytes;
        payload = _buffer.AsSpan(offsetBytes, length);
        Plan.Add(peer, controlIndex, _buffer, offsetBytes, length);
        _usedBytes = offsetBytes + length;

        // The second datagram of the same size opens the short way. The first does not: it may still be trimmed, or may
        // stay the only datagram of its peer.
        ref SendRun open = ref Plan.Open;
        bool opensShortWay = open.SegmentCount > 1 && length == open.SegmentBytes && controlIndex == SendRun.NoControl;
        if (opensShortWay) open.LimitBytes = LimitFor(length);
        Debug.Assert(open.LimitBytes <= _buffer.Length - length, "The short way ends before the buffer does.");
        return true;
    }

    // Zeroes the old bytes of other peers than this one, whose datagram is added next.
    private void HideOldBytes(in UdpEndPoint peer)
    {
        if (KeepOldBytes) return;
        if (_usedBytes < _oldBytes) Array.Clear(_buffer, _usedBytes, _oldBytes - _usedBytes);
        _oldBytes = _usedBytes;
        _oldPeer = peer;
        _knowsOldPeer = true;
        _hasOtherPeers = _usedBytes > 0;
    }

    /// <summary>
    /// The highest start offset at which one more datagram of this length fits, by bytes of the buffer and by number of
    /// datagrams (<see cref="Capacity"/>).
    /// </summary>
    private int LimitFor(int length)
    {
        long roomBytes = Math.Min(_buffer.Length - _usedBytes, (long)(Capacity - Plan.AddedCount) * length);
        return _usedBytes + (int)roomBytes - length;
    }

    private int IndexOf(in SendControl control)
    {
        const int lookBackCount = 8;
        if (control.IsDefault) return SendRun.NoControl;

        // Searches only the last few controls: enough for replies that alternate between a few peers. If the search
        // misses, an equal control is merely stored a second time.
        for (int i = _controlCount - 1; i >= Math.Max(0, _controlCount - lookBackCount); i--)
        {
            if (_controls[i].Equals(in control)) return i;
        }

        if (_controlCount == _controls.Length) Array.Resize(ref _controls, Math.Max(8, _controls.Length * 2));
        _controls[_controlCount] = control;
        return _controlCount++;
    }

    private void Reset()
    {
        Plan.Clear();
        _oldBytes = Math.Max(_oldBytes, _usedBytes);
        _usedBytes = 0;
        if (_hasOtherPeers) _knowsOldPeer = false;
        _controlCount = 0;
        foreach (SlotBuffer buffer in CollectionsMarshal.AsSpan(_forwarded)) buffer.Release();
        _forwarded.Clear();
    }
}
