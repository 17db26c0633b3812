using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Buffers;
using Spate.Interop.Linux;
using Spate.Messages;
using Spate.Segmentation;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// The sender of the Mmsg backend (Linux): sends GSO messages and plain datagrams in the plan's order, many per call.
/// sendmmsg returns the number of sent messages and discards the error after a partial send. So the failed message
/// comes first in the next call, and an error of that call certainly concerns this message.
/// </summary>
internal sealed unsafe class MmsgSender<TCalls> : GsoSender<ErrnoPolicy>
    where TCalls : struct, ISocketCalls
{
    private const int SendFlags = SysSocket.MSG_DONTWAIT | SysSocket.MSG_NOSIGNAL;

    /// <summary>
    /// The size of the control message UDP_SEGMENT with its padding. This message is at the start of each message's
    /// control bytes.
    /// </summary>
    private const int SegmentBytes = ControlMessages.HeaderBytes + sizeof(ulong);

    private const int MaxControlBytes = SegmentBytes + SendControlWriter.MaxBytes;

    private readonly int _descriptor;
    private TCalls _calls;

    public MmsgSender(SocketContext context, bool segments, TCalls calls)
        : base(context, segments, usesHeaders: true)
    {
        _calls = calls;
        _descriptor = context.Descriptor;
    }

    /// <inheritdoc/>
    public override SendQueue CreateQueue(int capacity, int bufferBytes)
    {
        SendHeaders headers = new(MaxControlBytes);
        for (int i = 0; i < SendHeaders.MaxMessageCount; i++)
        {
            // Written once: a send only sets the segment size in it. The value of UDP_SEGMENT is a u16, unlike the int
            // of UDP_GRO (net/ipv4/udp.c, __udp_cmsg_send).
            var writer = new ControlMessageWriter(headers.ControlOf(i));
            writer.Add(Udp.SOL_UDP, Udp.UDP_SEGMENT, (ushort)0);
        }

        return new SendQueue(Segments ? GsoLimits.Default : GsoLimits.Unsegmented, capacity, bufferBytes, headers);
    }

    /// <inheritdoc/>
    public override SendResult Send(SendQueue queue, int timeoutMilliseconds)
    {
        SendHeaders headers = queue.Headers!;
        SendPlan plan = queue.Plan;
        if (queue.HasControls && !Context.Options.EnableTransmitTimes) queue.RequireNoTransmitTimes();
        if (Context.IsConnected) NameDefaultPeer(queue);
        plan.Begin();
        int unsentCount = plan.UnsentCount;
        SendCounters counters = new(timeoutMilliseconds);
        while (plan.HasUnsent)
        {
            int count = Fill(queue, headers, counters.TriedMessage);
            int sentCount = SendMessages(headers, count);
            Debug.Assert(sentCount <= count && sentCount != 0, "The kernel accepts a message or returns an error.");
            if (sentCount > 0)
            {
                CountSent(plan, headers, sentCount, ref counters);
                counters.ForgetErrors();
                if (counters.TriedMessage != SendPlan.None && counters.TriedMessage != plan.NextMessage)
                {
                    EndTrial(plan, ref counters);
                }
                continue;
            }

            if (!OnSendError(plan, headers.SegmentCountOf(0), -sentCount, ref counters)) break;
        }

        // If the send ends in the middle of the tried GSO message, some of its datagrams were sent without GSO. That is
        // enough to decide the trial.
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
        UdpEndPoint name = default;
        int nameBytes = SetName(peer, ref name);
        while (true)
        {
            int result;
            fixed (byte* pointer = payload)
            {
                // SAFETY: payload is fixed for the call; the name is on the stack.
                void* namePointer = nameBytes == 0 ? null : &name;
                result = _calls.SendTo(_descriptor, pointer, payload.Length, SendFlags, namePointer, nameBytes);
            }

            if (result >= 0)
            {
                Debug.Assert(result == payload.Length, "The kernel sends whole datagrams.");
                Context.Counters.CountSend(1, 1, payload.Length);
                return new SendResult(1, 0, 0, SocketError.Success, SendStatus.Done);
            }

            if (!OnSendOneError(-result, ref counters)) return counters.ToResult(remaining: 1 - counters.Refused);
        }
    }

    /// <inheritdoc/>
    protected override bool WaitWritable(ref SendCounters counters)
    {
        int remainingMilliseconds = counters.RemainingMilliseconds(Context.Options.TimeProvider);
        int events = remainingMilliseconds == 0 ? 0 : _calls.Poll(_descriptor, Poll.POLLOUT, remainingMilliseconds);

        // Empties the error queue: any entry in it would end every wait for the socket at once, as in a receive.
        bool mayDrain = events == 0 ? Context.MayQueueErrors : events > 0 && (events & Poll.POLLERR) != 0;
        if (mayDrain) Context.Errors.DrainBesideReceives();
        if (Context.IsClosed) counters.Status = SendStatus.Closed;
        else if (events == 0) counters.Status = SendStatus.TimedOut;
        return counters.Status == SendStatus.Done;
    }

    private int SendMessages(SendHeaders headers, int count)
    {
        // SAFETY: all memory that the headers point to is pinned. The queue keeps this memory alive, and the caller has
        // a reference to the queue.
        mmsghdr* messages = headers.Messages;
        if (count > 1) return _calls.SendMany(_descriptor, messages, count, SendFlags);

        // Calls sendto or sendmsg for one message: sendmmsg costs about 10 % more.
        msghdr* header = &messages->msg_hdr;
        bool bare = header->msg_controllen == 0 && header->msg_iovlen == 1;
        int result = bare
            ? _calls.SendTo(_descriptor, header->msg_iov->iov_base, (int)header->msg_iov->iov_len, SendFlags,
                header->msg_name, (int)header->msg_namelen)
            : _calls.SendMessage(_descriptor, header, SendFlags);
        return result >= 0 ? 1 : result;
    }

    private void CountSent(SendPlan plan, SendHeaders headers, int messageCount, ref SendCounters counters)
    {
        int datagramCount = 0;
        long bytes = 0;
        for (int i = 0; i < messageCount; i++)
        {
            int segmentCount = headers.SegmentCountOf(i);
            plan.Advance(segmentCount);
            datagramCount += segmentCount;
            bytes += headers.BytesOf(i);
        }

        counters.Sent += datagramCount;
        Context.Counters.CountSend(datagramCount, messageCount, bytes);
    }

    /// <summary>
    /// Fills headers, beginning with the plan's next unsent datagram. Returns the number of filled headers.
    /// </summary>
    /// <param name="queue">The queue to send; the caller has called <see cref="SendPlan.Begin"/> on its plan.</param>
    /// <param name="headers">The headers of the queue.</param>
    /// <param name="triedMessage">
    /// The index of the GSO message whose datagrams are sent without GSO, as the last datagrams of the call; otherwise
    /// <see cref="SendPlan.None"/>.
    /// </param>
    private int Fill(SendQueue queue, SendHeaders headers, int triedMessage)
    {
        headers.Clear();
        SendPlan plan = queue.Plan;
        ReadOnlySpan<GsoMessage> messages = plan.Messages;
        int firstSegment = plan.NextSegment;
        for (int i = plan.NextMessage; i < messages.Length && headers.Count < SendHeaders.MaxMessageCount; i++)
        {
            ref readonly GsoMessage message = ref messages[i];

            // A socket that cannot send GSO messages may get a queue with some, which another socket made.
            if (message.SegmentCount == 1 || firstSegment > 0 || !Segments || i == triedMessage
                || (message.SegmentBytes >= Fallbacks.SmallestBytes
                    && Fallbacks.Contains(message.Peer, message.SegmentBytes)))
            {
                AddPlainly(queue, headers, message, firstSegment);
                if (i == triedMessage) break;
            }
            else
            {
                if (headers.PieceCount + message.IovecCount > SendHeaders.MaxPieceCount) break;
                AddSegmented(queue, headers, message);
            }

            firstSegment = 0;
        }

        Debug.Assert(headers.Count > 0, "A GSO message fits into a call of its own, so each call sends something.");
        return headers.Count;
    }

    private void AddSegmented(SendQueue queue, SendHeaders headers, in GsoMessage message)
    {
        Debug.Assert(
            message.SegmentCount is > 1 and <= GsoLimits.DefaultMaxSegmentCount
            && message.TotalBytes <= GsoLimits.DefaultMaxTotalBytes
            && message.SegmentBytes is > 0 and <= ushort.MaxValue,
            "The kernel refuses a longer GSO message, and UDP_SEGMENT is a u16.");
        int firstPiece = headers.PieceCount;
        ReadOnlySpan<GsoIovec> iovecs = queue.Plan.Iovecs;
        for (int index = message.FirstIovec; index >= 0;)
        {
            ref readonly GsoIovec iovec = ref iovecs[index];
            headers.AddPiece(iovec.Buffer.AsSpan(iovec.OffsetBytes, iovec.LengthBytes));
            index = iovec.Next;
        }

        Debug.Assert(headers.PieceCount == firstPiece + message.IovecCount);
        Span<byte> control = headers.ControlOf(headers.Count);
        MemoryMarshal.Write(control[ControlMessages.HeaderBytes..], (ushort)message.SegmentBytes);
        ref msghdr header = ref AddMessage(headers, message, firstPiece, message.SegmentCount, message.TotalBytes);
        header.msg_control = Unsafe.AsPointer(ref MemoryMarshal.GetReference(control));
        header.msg_controllen = SegmentBytes;
        if (message.ControlIndex >= 0) AddControl(ref header, control, queue, message);
    }

    private void AddPlainly(SendQueue queue, SendHeaders headers, in GsoMessage message, int firstSegment)
    {
        Debug.Assert((uint)firstSegment < (uint)message.SegmentCount);
        for (int i = firstSegment; i < message.SegmentCount; i++)
        {
            if (headers.Count == SendHeaders.MaxMessageCount || headers.PieceCount == SendHeaders.MaxPieceCount) return;
            int firstPiece = headers.PieceCount;
            ReadOnlySpan<byte> segment = queue.Plan.SegmentOf(message, i);
            headers.AddPiece(segment);
            Span<byte> control = headers.ControlOf(headers.Count);
            ref msghdr header = ref AddMessage(headers, message, firstPiece, 1, segment.Length);
            header.msg_control = null;
            header.msg_controllen = 0;
            if (message.ControlIndex >= 0) AddControl(ref header, control, queue, message);
        }
    }

    private ref msghdr AddMessage(
        SendHeaders headers, in GsoMessage message, int firstPiece, int segmentCount, int bytes)
    {
        ref UdpEndPoint name = ref headers.NextName;
        int nameBytes = message.PeerBytes;
        if (Context.IsIPv6 || Context.IsConnected) nameBytes = SetName(message.Peer, ref name);
        else name = message.Peer;
        Debug.Assert(
            nameBytes == 0 || (Context.IsIPv6 ? nameBytes == sizeof(UdpEndPoint) : nameBytes == name.NativeLength),
            "An IPv6 socket takes names of IPv6 only, and the kernel reads as many bytes as the name's length says.");
        return ref headers.AddMessage(firstPiece, segmentCount, bytes, nameBytes);
    }

    /// <summary>
    /// Writes the control messages for the options of the message's datagrams, after the bytes for UDP_SEGMENT.
    /// </summary>
    private void AddControl(ref msghdr header, Span<byte> control, SendQueue queue, in GsoMessage message)
    {
        ref readonly UdpEndPoint peer = ref message.Peer;
        bool isIPv4 = !Context.IsIPv6 || (peer.IsDefault ? Context.Remote : peer).IsIPv4;
        Span<byte> room = control[SegmentBytes..];
        int bytes = SendControlWriter.Write(room, queue.ControlAt(message.ControlIndex), isIPv4);

        // SAFETY: the control bytes are in a pinned array that the caller keeps alive.
        if (header.msg_controllen == 0) header.msg_control = Unsafe.AsPointer(ref MemoryMarshal.GetReference(room));
        header.msg_controllen += (nuint)bytes;
    }
}
