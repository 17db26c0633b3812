using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Interop.Windows;
using Spate.Segmentation;

namespace Spate.Sockets.Winsock;

/// <summary>
/// The sender of the backends Winsock and Rio (Windows): one WSASendMsg for each GSO message and each plain datagram,
/// in the plan's order. The calls are synchronous and the socket does not block, so all headers are on the stack.
/// </summary>
internal sealed unsafe class WinsockSender<TCalls> : GsoSender<SocketErrorPolicy>
    where TCalls : struct, IWinsockSendCalls
{
    /// <summary>
    /// The most iovecs of a GSO message: 1 KiB of the stack. If peers alternate, each datagram may need its own.
    /// </summary>
    private const int MaxPieceCount = 64;

    /// <summary>
    /// The longest wait in one piece, in milliseconds: no call wakes a thread that waits for room when another thread
    /// closes the socket.
    /// </summary>
    private const int SliceMilliseconds = 100;

    private readonly GsoLimits _limits;
    private readonly bool _takesTrafficClass;
    private readonly nint _socket;
    private TCalls _calls;

    /// <param name="context">The socket's context.</param>
    /// <param name="maxSegmentCount">
    /// The most segments that the system takes in one GSO message; 1 sends plain datagrams only.
    /// </param>
    /// <param name="takesTrafficClass">
    /// Whether the system takes the whole traffic class of a datagram, not only its two bits for ECN.
    /// </param>
    /// <param name="calls">The system calls.</param>
    public WinsockSender(SocketContext context, int maxSegmentCount, bool takesTrafficClass, TCalls calls)
        : base(context, segments: maxSegmentCount > 1, usesHeaders: false)
    {
        _calls = calls;
        _socket = context.Socket.Handle;
        _takesTrafficClass = takesTrafficClass;
        _limits = Segments
            ? new GsoLimits(maxSegmentCount, GsoLimits.DefaultMaxTotalBytes, MaxPieceCount)
            : GsoLimits.Unsegmented;
        context.Socket.Blocking = false;
    }

    /// <inheritdoc/>
    public override SendQueue CreateQueue(int capacity, int bufferBytes) => new(_limits, capacity, bufferBytes);

    /// <inheritdoc/>
    public override SendResult Send(SendQueue queue, int timeoutMilliseconds)
    {
        SendPlan plan = queue.Plan;
        if (queue.HasControls) RequireKnownControls(queue);
        if (Context.IsConnected) NameDefaultPeer(queue);
        plan.Begin();
        int unsentCount = plan.UnsentCount;
        SendCounters counters = new(timeoutMilliseconds);
        while (plan.HasUnsent)
        {
            ref readonly GsoMessage message = ref plan.Messages[plan.NextMessage];
            bool isGso = GoesAsGso(plan, message, counters.TriedMessage);
            int segmentCount = isGso ? message.SegmentCount : 1;
            int error = isGso
                ? SendSegmented(queue, message, out int bytes)
                : SendPlainly(queue, message, plan.NextSegment, out bytes);
            if (error != 0)
            {
                if (!OnSendError(plan, segmentCount, error, ref counters)) break;
                continue;
            }

            plan.Advance(segmentCount);
            counters.Sent += segmentCount;
            counters.ForgetErrors();
            Context.Counters.CountSend(segmentCount, 1, bytes);
            if (counters.TriedMessage != SendPlan.None && counters.TriedMessage != plan.NextMessage)
            {
                EndTrial(plan, ref counters);
            }
        }

        // As Mmsg: some datagrams of the tried GSO message were sent without GSO, which decides the trial.
        if (counters.TriedMessage != SendPlan.None && plan.NextSegment > 0) EndTrial(plan, ref counters);
        Debug.Assert(
            counters.Sent + counters.Refused + plan.UnsentCount == unsentCount,
            "Each datagram is sent, refused, or still in the batch.");
        queue.EndSend();
        return counters.ToResult(plan.Count);
    }

    /// <inheritdoc/>
    public override SendResult SendOne(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int timeoutMilliseconds)
    {
        SendCounters counters = new(timeoutMilliseconds);
        while (true)
        {
            int error;
            fixed (byte* pointer = payload)
            {
                WSABUF piece = new() { buf = pointer, len = (uint)payload.Length };
                error = Call(peer, &piece, 1, default);
            }

            if (error == 0)
            {
                Context.Counters.CountSend(1, 1, payload.Length);
                return new SendResult(1, 0, 0, SocketError.Success, SendStatus.Done);
            }

            if (!OnSendOneError(error, ref counters)) return counters.ToResult(remaining: 1 - counters.Refused);
        }
    }

    /// <inheritdoc/>
    protected override bool WaitWritable(ref SendCounters counters)
    {
        TimeProvider time = Context.Options.TimeProvider;
        int remainingMilliseconds = counters.RemainingMilliseconds(time);
        bool isWritable = false;
        while (!isWritable && remainingMilliseconds != 0 && !Context.IsClosed)
        {
            isWritable = _calls.WaitWritable(
                Context.Socket, Deadline.Shorter(remainingMilliseconds, SliceMilliseconds));
            remainingMilliseconds = counters.RemainingMilliseconds(time);
        }

        if (Context.IsClosed) counters.Status = SendStatus.Closed;
        else if (!isWritable) counters.Status = SendStatus.TimedOut;
        return counters.Status == SendStatus.Done;
    }

    /// <summary>
    /// Throws if a datagram has options that Windows cannot set for one datagram. Nothing has been sent then.
    /// </summary>
    private void RequireKnownControls(SendQueue queue)
    {
        foreach (ref readonly SendControl control in queue.Controls)
        {
            string? lack = control switch
            {
                { TransmitTimeMonotonicNanoseconds: not null } =>
                    "a time to leave: leave TransmitTimeMonotonicNanoseconds null",
                { TimeToLive: not null } => "a TTL: use UdpSocketOptions.TimeToLive",
                { TrafficClass: > WinsockControlWriter.MaxEcn } when !_takesTrafficClass =>
                    "a traffic class with more than its two bits for ECN (this version of Windows): use 0 to 3",
                _ => null,
            };
            if (lack is null) continue;
            throw new PlatformNotSupportedException($"The backends Winsock and Rio cannot give a datagram {lack}.");
        }
    }

    private bool GoesAsGso(SendPlan plan, in GsoMessage message, int triedMessage)
    {
        // A single datagram never has a segment size: some drivers refuse it with WSAEINVAL. A socket that cannot send
        // GSO messages may get a queue with some, which another socket made.
        if (message.SegmentCount == 1 || plan.NextSegment > 0 || plan.NextMessage == triedMessage) return false;
        if (message.SegmentCount > _limits.MaxSegmentCount) return false;
        return message.SegmentBytes < Fallbacks.SmallestBytes
            || !Fallbacks.Contains(message.Peer, message.SegmentBytes);
    }

    private int SendSegmented(SendQueue queue, in GsoMessage message, out int bytes)
    {
        Debug.Assert(message.SegmentCount > 1 && message.IovecCount <= MaxPieceCount);

        // SAFETY: the pieces are in pinned arrays that the queue keeps alive; the headers are on the stack.
        WSABUF* pieces = stackalloc WSABUF[MaxPieceCount];
        int pieceCount = 0;
        ReadOnlySpan<GsoIovec> iovecs = queue.Plan.Iovecs;
        for (int index = message.FirstIovec; index >= 0;)
        {
            ref readonly GsoIovec iovec = ref iovecs[index];
            pieces[pieceCount++] = Piece(iovec.Buffer.AsSpan(iovec.OffsetBytes, iovec.LengthBytes));
            index = iovec.Next;
        }

        Span<byte> control = stackalloc byte[WinsockControlWriter.MaxBytes];
        int controlBytes = WinsockControlWriter.WriteSegmentSize(control, message.SegmentBytes);
        controlBytes += AddControl(control[controlBytes..], queue, message);
        bytes = message.TotalBytes;
        return Call(message.Peer, pieces, pieceCount, control[..controlBytes]);
    }

    private int SendPlainly(SendQueue queue, in GsoMessage message, int segment, out int bytes)
    {
        ReadOnlySpan<byte> payload = queue.Plan.SegmentOf(message, segment);
        bytes = payload.Length;
        WSABUF piece = Piece(payload);
        if (message.ControlIndex < 0) return Call(message.Peer, &piece, 1, default);
        Span<byte> control = stackalloc byte[WinsockControlWriter.MaxBytes];
        return Call(message.Peer, &piece, 1, control[..AddControl(control, queue, message)]);
    }

    private int AddControl(Span<byte> room, SendQueue queue, in GsoMessage message)
    {
        if (message.ControlIndex < 0) return 0;
        ref readonly UdpEndPoint peer = ref message.Peer;
        bool isIPv4 = !Context.IsIPv6 || (peer.IsDefault ? Context.Remote : peer).IsIPv4;
        return WinsockControlWriter.Write(room, queue.ControlAt(message.ControlIndex), isIPv4, _takesTrafficClass);
    }

    private static WSABUF Piece(ReadOnlySpan<byte> payload) => new()
    {
        buf = Unsafe.AsPointer(ref MemoryMarshal.GetReference(payload)),
        len = (uint)payload.Length,
    };

    /// <summary>Sends one message. Returns 0, or the code of the error.</summary>
    private int Call(in UdpEndPoint peer, WSABUF* pieces, int pieceCount, Span<byte> control)
    {
        // Refused here: WSASendMsg documents no error for a peer of another family, and may report a bad pointer.
        if (peer.IsIPv6 && !Context.IsIPv6) return (int)SocketError.AddressFamilyNotSupported;
        UdpEndPoint name = default;
        int nameBytes = SetName(peer, ref name);

        // SAFETY: the call is synchronous, so the stack holds everything as long as the system reads it. control is on
        // the stack of the caller.
        WSAMSG message = new()
        {
            name = nameBytes == 0 ? null : &name,
            namelen = nameBytes,
            lpBuffers = pieces,
            dwBufferCount = (uint)pieceCount,
        };
        if (control.Length > 0)
        {
            message.Control.buf = Unsafe.AsPointer(ref MemoryMarshal.GetReference(control));
            message.Control.len = (uint)control.Length;
        }

        return _calls.SendMessage(_socket, &message);
    }
}
