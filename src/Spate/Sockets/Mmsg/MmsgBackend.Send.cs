using System.Net.Sockets;
using Spate.Diagnostics;
using Spate.Interop.Linux;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// Sending: trains and plain datagrams in the plan's order, many to a call. sendmmsg tells how many went and keeps the
/// reason why the next one did not, so that one is tried again at the head of the next call, where an error is
/// certainly its own.
/// </summary>
internal sealed unsafe partial class MmsgBackend<TCalls>
{
    /// <inheritdoc/>
    public override SendResult Send(SendBatch batch, int timeoutMilliseconds)
    {
        MmsgSendHeaders headers = HeadersOf(batch);
        batch.BeginSend(_limits, Context.Remote);
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        SendTally tally = new();
        while (batch.HasUnsent)
        {
            int count = headers.Fill(batch, Context, SegmentedSend, _demoted);
            int sentCount = SendMessages(headers, count);
            if (sentCount > 0)
            {
                CountSent(batch, headers, sentCount, ref tally);
                tally.ForgetErrors();
                continue;
            }

            if (!OnSendError(batch, headers, -sentCount, deadline, ref tally)) break;
        }

        batch.EndSend();
        return new SendResult(tally.Sent, tally.Refused, batch.Count, tally.FirstError, tally.Status);
    }

    /// <inheritdoc/>
    public override SendResult SendOne(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int timeoutMilliseconds)
    {
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        SendTally tally = new();
        UdpEndPoint name = default;
        SendName.Set(Context, peer, ref name, out int nameBytes);
        while (true)
        {
            int result;
            fixed (byte* pointer = payload)
            {
                // SAFETY: payload is fixed for the call; the name lies on the stack.
                void* namePointer = nameBytes == 0 ? null : &name;
                result = _calls.SendTo(_descriptor, pointer, payload.Length, SendFlags, namePointer, nameBytes);
            }

            if (result >= 0)
            {
                Context.Counters.CountSend(1, 1, payload.Length);
                return new SendResult(1, 0, 0, SocketError.Success, SendStatus.Done);
            }

            ErrnoAction action = ErrnoPolicy.Decide(-result, SocketOperation.SendOne);
            if (TryGoOn(action, -result, deadline, ref tally)) continue;
            if (tally.Status != SendStatus.Done)
                return new SendResult(0, 0, 1, SocketError.Success, tally.Status);
            Context.Counters.CountRefused();
            return new SendResult(0, 1, 0, ErrnoPolicy.ToSocketError(-result), SendStatus.Done);
        }
    }

    private int SendMessages(MmsgSendHeaders headers, int count)
    {
        // SAFETY: everything the headers point to is pinned and kept by the batch, which the caller holds.
        mmsghdr* messages = headers.Messages;
        if (count > 1) return _calls.SendMany(_descriptor, messages, count, SendFlags);

        // sendmmsg for one message costs about 10 % more than the plain call.
        msghdr* header = &messages->msg_hdr;
        bool bare = header->msg_controllen == 0 && header->msg_iovlen == 1;
        int result = bare
            ? _calls.SendTo(_descriptor, header->msg_iov->iov_base, (int)header->msg_iov->iov_len, SendFlags,
                header->msg_name, (int)header->msg_namelen)
            : _calls.SendMessage(_descriptor, header, SendFlags);
        return result >= 0 ? 1 : result;
    }

    private void CountSent(SendBatch batch, MmsgSendHeaders headers, int messageCount, ref SendTally tally)
    {
        int datagramCount = 0;
        long bytes = 0;
        for (int i = 0; i < messageCount; i++)
        {
            int segmentCount = headers.SegmentCountOf(i);
            batch.Advance(segmentCount);
            datagramCount += segmentCount;
            bytes += headers.BytesOf(i);
        }

        tally.Sent += datagramCount;
        Context.Counters.CountSend(datagramCount, messageCount, bytes);
    }

    /// <summary>The first message of the call failed. False: the send ends here.</summary>
    private bool OnSendError(
        SendBatch batch, MmsgSendHeaders headers, int errno, in Deadline deadline, ref SendTally tally)
    {
        // EINVAL for port 0, which a received datagram may have as its source, says nothing about trains.
        ref readonly UdpEndPoint peer = ref batch.PeerOf(batch.Trains[batch.NextTrain]);
        bool blamesTrain = headers.IsTrain(0) && (peer.Port != 0 || peer.IsDefault);
        SocketOperation operation = blamesTrain ? SocketOperation.SendTrain : SocketOperation.SendOne;
        ErrnoAction action = ErrnoPolicy.Decide(errno, operation);
        if (action == ErrnoAction.DemoteTrain && !TryOnceMore(errno, ref tally))
        {
            Demote(peer, errno);
            return true;
        }

        if (TryGoOn(action, errno, deadline, ref tally)) return true;
        if (tally.Status != SendStatus.Done) return false;

        // A refusal is the destination's, so it holds for each datagram of a train alike.
        for (int i = headers.SegmentCountOf(0); i > 0; i--)
        {
            if (tally.Refused++ == 0) tally.FirstError = ErrnoPolicy.ToSocketError(errno);
            Context.Counters.CountRefused();
        }

        batch.Advance(headers.SegmentCountOf(0));
        tally.ForgetErrors();
        return true;
    }

    /// <summary>
    /// True: try the same datagram again. False with status Done: it is refused. Otherwise the send ends.
    /// </summary>
    private bool TryGoOn(ErrnoAction action, int errno, in Deadline deadline, ref SendTally tally)
    {
        if (Context.IsClosed) action = ErrnoAction.Closed;
        switch (action)
        {
            case ErrnoAction.Retry:
                return true;
            case ErrnoAction.PendingError when IsEarlierOnes(errno, ref tally):
                // Perhaps another peer's; reporting it cleared it (udp.7).
                if (Context.HearsOfIcmp || !ErrnoPolicy.MayBeRoute(errno)) Context.Counters.CountIcmpError();
                if (Context.MayQueueErrors) DrainErrorQueue();
                return true;
            case ErrnoAction.WouldBlock:
                return WaitWritable(deadline.RemainingMilliseconds, ref tally);
            case ErrnoAction.NoBuffers:
                Context.Counters.CountNoBuffers();
                return PauseSend(deadline.RemainingMilliseconds, ref tally);
            case ErrnoAction.Closed:
                tally.Status = SendStatus.Closed;
                return false;
            case ErrnoAction.Bug:
                throw ReceiveFaults.Bug("A send", Errno.Describe(errno));
            case ErrnoAction.DemoteTrain:
                return true;
            default:
                return TryOnceMore(errno, ref tally);
        }
    }

    // What only ICMP makes comes one after another while other threads send to closed ports; the rest may be this
    // datagram's own, from its route.
    private static bool IsEarlierOnes(int errno, ref SendTally tally)
    {
        const int countMax = 64;
        if (!ErrnoPolicy.MayBeRoute(errno)) return ++tally.PendingErrorCount <= countMax;
        bool isFirst = !tally.MetDoubtfulError;
        tally.MetDoubtfulError = true;
        return isFirst;
    }

    private bool TryOnceMore(int errno, ref SendTally tally)
    {
        if (tally.MetDoubtfulError || !Context.HearsOfIcmp || !ErrnoPolicy.MayBePending(errno)) return false;
        tally.MetDoubtfulError = true;
        return true;
    }

    private bool WaitWritable(int remainingMilliseconds, ref SendTally tally)
    {
        int events = remainingMilliseconds == 0 ? 0 : _calls.Poll(_descriptor, Poll.POLLOUT, remainingMilliseconds);

        // As for receiving: an error queue that is not empty would end every wait at once.
        bool mayDrain = events == 0 ? Context.MayQueueErrors : events > 0 && (events & Poll.POLLERR) != 0;
        if (mayDrain) DrainErrorQueue();
        if (Context.IsClosed) tally.Status = SendStatus.Closed;
        else if (events == 0) tally.Status = SendStatus.TimedOut;
        return tally.Status == SendStatus.Done;
    }

    // ENOBUFS: a queue below the socket is full, and nothing tells when it drains. Spinning would only keep it full.
    private static bool PauseSend(int remainingMilliseconds, ref SendTally tally)
    {
        if (remainingMilliseconds == 0) tally.Status = SendStatus.NoBuffers;
        else Thread.Sleep(1);
        return tally.Status == SendStatus.Done;
    }

    private void Demote(in UdpEndPoint peer, int errno)
    {
        UdpEndPoint destination = peer.IsDefault ? Context.Remote : peer;
        _demoted.Add(destination);
        Context.Counters.CountDemotion();
        if (Context.Events.TryPass(EventKind.TrainDemoted, out long count))
            SpateEventSource.Log.TrainDemoted(destination.ToString(), Errno.Describe(errno), count);
    }

    private static MmsgSendHeaders HeadersOf(SendBatch batch)
    {
        if (batch.BackendState is MmsgSendHeaders headers) return headers;
        headers = new MmsgSendHeaders();
        batch.BackendState = headers;
        return headers;
    }
}
