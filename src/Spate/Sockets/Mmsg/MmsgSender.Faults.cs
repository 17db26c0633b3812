using Spate.Diagnostics;
using Spate.Interop.Linux;
using Spate.Segmentation;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// Handles a failed send. The datagram is retried at once or when there is room, its GSO message is sent as plain
/// datagrams, or the datagram is refused.
/// </summary>
internal sealed partial class MmsgSender<TCalls>
{
    /// <summary>Handles the failure of a call's first message. False: the send ends.</summary>
    private bool OnSendError(SendPlan plan, MmsgSendHeaders headers, int errno, ref SendCounters counters)
    {
        // EINVAL for port 0 does not mean that GSO failed. A received datagram may have port 0 as its source.
        ref readonly UdpEndPoint peer = ref plan.Messages[plan.NextMessage].Peer;
        bool blamesGso = headers.IsGso(0) && (peer.Port != 0 || peer.IsDefault);
        SocketOperation operation = blamesGso ? SocketOperation.SendGso : SocketOperation.SendOne;
        ErrnoAction action = ErrnoPolicy.Decide(errno, operation);
        bool goesPlainly = action is ErrnoAction.FallBack or ErrnoAction.TryPlainly;
        if (goesPlainly && !TryOnceMore(errno, ref counters))
        {
            if (action == ErrnoAction.FallBack) FallBack(peer, GsoFallbackList.AllSizes, errno);
            else (counters.TriedMessage, counters.TriedErrno) = (plan.NextMessage, errno);
            return true;
        }

        if (TryGoOn(action, errno, ref counters)) return true;
        if (counters.Status != SendStatus.Done) return false;

        // A refusal concerns the destination, so it applies to every datagram of a GSO message.
        for (int i = headers.SegmentCountOf(0); i > 0; i--)
        {
            if (counters.Refused++ == 0) counters.FirstError = ErrnoPolicy.ToSocketError(errno);
            Context.Counters.CountRefused();
        }

        // If a datagram of the tried GSO message is refused, the fault is not that of GSO. The rest of the message is
        // still sent as plain datagrams.
        counters.TriedMessage = SendPlan.None;
        plan.Advance(headers.SegmentCountOf(0));
        counters.ForgetErrors();
        return true;
    }

    /// <summary>
    /// True: retry the same datagram. False with status Done: the datagram is refused. False with another status: the
    /// send ends.
    /// </summary>
    private bool TryGoOn(ErrnoAction action, int errno, ref SendCounters counters)
    {
        if (Context.IsClosed) action = ErrnoAction.Closed;
        switch (action)
        {
            case ErrnoAction.Retry:
                return true;
            case ErrnoAction.PendingError when IsEarlierOnes(errno, ref counters):
                // The error may be another peer's; the call that reported it has cleared it (udp.7).
                if (Context.HearsOfIcmp || !ErrnoPolicy.MayBeRoute(errno)) Context.Counters.CountIcmpError();
                Context.NoteIcmpErrorOfSend(ErrnoPolicy.ToSocketError(errno));
                if (Context.MayQueueErrors) Context.Errors.Drain(out _);
                return true;
            case ErrnoAction.WouldBlock:
                return WaitWritable(counters.RemainingMilliseconds(Context.Options.TimeProvider), ref counters);
            case ErrnoAction.NoBuffers:
                Context.Counters.CountNoBuffers();
                return PauseSend(counters.RemainingMilliseconds(Context.Options.TimeProvider), ref counters);
            case ErrnoAction.Closed:
                counters.Status = SendStatus.Closed;
                return false;
            case ErrnoAction.Bug:
                throw ReceiveFaults.Bug("A send", Errno.Describe(errno));
            case ErrnoAction.FallBack or ErrnoAction.TryPlainly:
                return true;
            default:
                return TryOnceMore(errno, ref counters);
        }
    }

    // Errors that only ICMP causes can follow one another while other threads send to closed ports, so several are
    // accepted. The other errors may come from this datagram's own route, so only the first is attributed to an earlier
    // datagram.
    private static bool IsEarlierOnes(int errno, ref SendCounters counters)
    {
        const int maxCount = 64;
        if (!ErrnoPolicy.MayBeRoute(errno)) return ++counters.PendingErrorCount <= maxCount;
        bool isFirst = !counters.MetDoubtfulError;
        counters.MetDoubtfulError = true;
        return isFirst;
    }

    private bool TryOnceMore(int errno, ref SendCounters counters)
    {
        if (counters.MetDoubtfulError || !Context.HearsOfIcmp || !ErrnoPolicy.MayBePending(errno)) return false;
        counters.MetDoubtfulError = true;
        return true;
    }

    private bool WaitWritable(int remainingMilliseconds, ref SendCounters counters)
    {
        int events = remainingMilliseconds == 0 ? 0 : _calls.Poll(_descriptor, Poll.POLLOUT, remainingMilliseconds);

        // As in a receive, a non-empty error queue would end every wait at once.
        bool mayDrain = events == 0 ? Context.MayQueueErrors : events > 0 && (events & Poll.POLLERR) != 0;
        if (mayDrain) Context.Errors.Drain(out _);
        if (Context.IsClosed) counters.Status = SendStatus.Closed;
        else if (events == 0) counters.Status = SendStatus.TimedOut;
        return counters.Status == SendStatus.Done;
    }

    // ENOBUFS: a queue below the socket is full, and no event reports when it drains. Spinning would only keep it full.
    private bool PauseSend(int remainingMilliseconds, ref SendCounters counters)
    {
        if (remainingMilliseconds == 0)
        {
            counters.Status = SendStatus.NoBuffers;
            Context.RetrySendLater = true;
            return false;
        }

        Thread.Sleep(1);
        return true;
    }

    /// <summary>
    /// Ends the trial: the datagrams of the tried GSO message left without GSO, so the system refused its segment size.
    /// </summary>
    private void EndTrial(SendPlan plan, ref SendCounters counters)
    {
        ref readonly GsoMessage message = ref plan.Messages[counters.TriedMessage];
        FallBack(message.Peer, message.SegmentBytes, counters.TriedErrno);
        counters.TriedMessage = SendPlan.None;
    }

    private void FallBack(in UdpEndPoint peer, int minSegmentBytes, int errno)
    {
        UdpEndPoint destination = peer.IsDefault ? Context.Remote : peer;
        _fallbacks.Add(destination, minSegmentBytes);
        Context.Counters.CountGsoFallback();
        if (Context.Events.TryPass(EventKind.GsoFallback, out long count))
        {
            string reason = Errno.Describe(errno);
            if (minSegmentBytes > GsoFallbackList.AllSizes) reason += $", datagrams of {minSegmentBytes} bytes or more";
            SpateEventSource.Log.GsoFallback(destination.ToString(), reason, count);
        }
    }
}
