using System.Diagnostics;
using System.Net.Sockets;
using Spate.Buffers;
using Spate.Interop.Linux;
using Spate.Segmentation;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// The sender of the Mmsg backend (Linux): sends GSO messages and plain datagrams in the plan's order, many per call.
/// sendmmsg returns the number of sent messages and discards the error after a partial send. So the failed message
/// comes first in the next call, and an error of that call certainly concerns this message.
/// </summary>
internal sealed unsafe partial class MmsgSender<TCalls> : Sender
    where TCalls : struct, ISocketCalls
{
    private const int SendFlags = SysSocket.MSG_DONTWAIT | SysSocket.MSG_NOSIGNAL;

    private readonly GsoFallbackList _fallbacks;
    private readonly int _descriptor;
    private TCalls _calls;

    public MmsgSender(SocketContext context, bool segments, TCalls calls)
        : base(context, segments)
    {
        _calls = calls;
        _descriptor = context.Descriptor;
        _fallbacks = new GsoFallbackList(context.Options.TimeProvider, context.Remote);
    }

    /// <inheritdoc/>
    public override Type QueueType => typeof(MmsgSendQueue);

    /// <inheritdoc/>
    public override SendQueue CreateQueue(int capacity, int bufferBytes) =>
        new MmsgSendQueue(Segments ? GsoLimits.Default : GsoLimits.Unsegmented, capacity, bufferBytes);

    /// <inheritdoc/>
    public override SendResult Send(SendQueue queue, int timeoutMilliseconds)
    {
        MmsgSendHeaders headers = ((MmsgSendQueue)queue).Headers;
        SendPlan plan = queue.Plan;
        if (queue.HasControls && !Context.Options.TransmitTimes) queue.RequireNoTransmitTimes();
        if (Context.IsConnected) NameDefaultPeer(queue);
        plan.Begin();
        int unsentCount = UnsentIn(plan);
        SendCounters counters = new(timeoutMilliseconds);
        while (plan.HasUnsent)
        {
            int count = headers.Fill(queue, Context, Segments, _fallbacks, counters.TriedMessage);
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

            if (!OnSendError(plan, headers, -sentCount, ref counters)) break;
        }

        // If the send ends in the middle of the tried GSO message, some of its datagrams were sent without GSO. That is
        // enough to decide the trial.
        if (counters.TriedMessage != SendPlan.None && plan.NextSegment > 0) EndTrial(plan, ref counters);
        Debug.Assert(
            counters.Sent + counters.Refused + UnsentIn(plan) == unsentCount,
            "Each datagram is sent, refused, or still in the batch.");
        queue.EndSend();
        return new SendResult(counters.Sent, counters.Refused, plan.Count, counters.FirstError, counters.Status);
    }

    /// <inheritdoc/>
    public override SendResult SendOne(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int timeoutMilliseconds)
    {
        SendCounters counters = new(timeoutMilliseconds);
        UdpEndPoint name = default;
        int nameBytes = MmsgSendHeaders.SetName(Context, peer, ref name);
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

            ErrnoAction action = ErrnoPolicy.Decide(-result, SocketOperation.SendOne);
            if (TryGoOn(action, -result, ref counters)) continue;
            if (counters.Status != SendStatus.Done)
            {
                return new SendResult(0, 0, 1, SocketError.Success, counters.Status);
            }
            Context.Counters.CountRefused();
            return new SendResult(0, 1, 0, ErrnoPolicy.ToSocketError(-result), SendStatus.Done);
        }
    }

    private int SendMessages(MmsgSendHeaders headers, int count)
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

    private void CountSent(SendPlan plan, MmsgSendHeaders headers, int messageCount, ref SendCounters counters)
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

    // Without the open run, to which another thread can add meanwhile, although it is forbidden.
    private static int UnsentIn(SendPlan plan) => plan.Count - plan.Open.SegmentCount;

    private void NameDefaultPeer(SendQueue queue)
    {
        if (queue.HasControls) queue.RequireSuiting(Context.Remote);
        queue.Plan.NameDefaultPeer(Context.Remote);
    }
}
