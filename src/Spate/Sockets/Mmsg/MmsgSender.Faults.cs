using System.Diagnostics;
using Spate.Buffers;
using Spate.Diagnostics;
using Spate.Interop.Linux;
using Spate.Segmentation;

namespace Spate.Sockets.Mmsg;

/// <summary>
/// Handles a failed send call. The datagram is retried, at once or when the socket has room; or the datagrams of its
/// GSO message are sent without GSO; or the datagram is refused.
/// </summary>
internal sealed partial class MmsgSender<TCalls>
{
    /// <summary>
    /// Handles the error of a send call, which concerns the first message of the call. Returns whether the send
    /// continues.
    /// </summary>
    private bool OnSendError(SendPlan plan, SendHeaders headers, int errno, ref SendCounters counters)
    {
        // EINVAL for port 0 does not mean that GSO failed: the kernel refuses port 0 without GSO too. A reply goes to
        // port 0 if the received datagram had port 0 as its source.
        ref readonly UdpEndPoint peer = ref plan.Messages[plan.NextMessage].Peer;
        bool blamesGso = headers.IsGso(0) && (peer.Port != 0 || peer.IsDefault);
        ErrnoPolicy.Row actions = ErrnoPolicy.Of(errno);
        ErrnoAction action = blamesGso ? actions.SendGso : actions.SendOne;
        bool goesPlainly = action is ErrnoAction.FallBack or ErrnoAction.TryPlainly;
        if (goesPlainly && !TryOnceMore(errno, ref counters))
        {
            if (action == ErrnoAction.FallBack) FallBack(peer, GsoFallbackList.AllSizes, errno);
            else (counters.TriedMessage, counters.TriedErrno) = (plan.NextMessage, errno);
            return true;
        }

        if (TryGoOn(action, errno, ref counters)) return true;
        if (counters.Status != SendStatus.Done) return false;

        Debug.Assert(errno > 0 && plan.HasUnsent);

        // A refusal concerns the destination, so every datagram of a GSO message is refused.
        for (int i = headers.SegmentCountOf(0); i > 0; i--)
            CountRefused(ErrnoPolicy.ToSocketError(errno), ref counters);

        // If a datagram of the tried GSO message (TriedMessage) is refused without GSO too, GSO was not the reason, so
        // the trial ends. The rest of the message is still sent as plain datagrams.
        counters.TriedMessage = SendPlan.None;
        plan.Advance(headers.SegmentCountOf(0));
        counters.ForgetErrors();
        return true;
    }

    /// <summary>
    /// Performs the action, which may include a wait. Returns true to retry the same datagram. Returns false with
    /// status Done if the datagram is refused, and false with another status if the send ends.
    /// </summary>
    private bool TryGoOn(ErrnoAction action, int errno, ref SendCounters counters)
    {
        if (Context.IsClosed) action = ErrnoAction.Closed;
        switch (action)
        {
            case ErrnoAction.Retry:
                return true;
            case ErrnoAction.PendingError when IsEarlierOnes(errno, ref counters):
                // The error may concern a datagram to another peer. The call that reported the error has cleared it
                // (udp.7), so the retry does not get the same error again.
                if (Context.HearsOfIcmp || !ErrnoPolicy.MayBeRoute(errno)) Context.Counters.CountIcmpError();
                Context.NoteIcmpErrorOfSend(ErrnoPolicy.ToSocketError(errno));
                if (Context.MayQueueErrors) Context.Errors.Drain(out _);
                return true;
            case ErrnoAction.WouldBlock:
                return WaitWritable(ref counters);
            case ErrnoAction.NoBuffers:
                return PauseSend(ref counters);
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

    // Whether to attribute a pending error to an earlier datagram. EHOSTUNREACH and ENETUNREACH may also come from the
    // route of the current datagram, so only the first of these is attributed to an earlier datagram.
    private static bool IsEarlierOnes(int errno, ref SendCounters counters)
    {
        bool isIcmpOnly = !ErrnoPolicy.MayBeRoute(errno);
        if (isIcmpOnly) return ++counters.PendingErrorCount <= SendCounters.MaxPendingErrorCount;
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

    private bool WaitWritable(ref SendCounters counters)
    {
        int remainingMilliseconds = counters.RemainingMilliseconds(Context.Options.TimeProvider);
        int events = remainingMilliseconds == 0 ? 0 : _calls.Poll(_descriptor, Poll.POLLOUT, remainingMilliseconds);

        // Empties the error queue: any entry in it would end every wait for the socket at once, as in a receive.
        bool mayDrain = events == 0 ? Context.MayQueueErrors : events > 0 && (events & Poll.POLLERR) != 0;
        if (mayDrain) Context.Errors.Drain(out _);
        if (Context.IsClosed) counters.Status = SendStatus.Closed;
        else if (events == 0) counters.Status = SendStatus.TimedOut;
        return counters.Status == SendStatus.Done;
    }

    /// <summary>
    /// Ends the trial of a refused GSO message (<see cref="SendCounters.TriedMessage"/>). Its datagrams were sent
    /// without GSO, so its segment size was the reason for the refusal.
    /// </summary>
    private void EndTrial(SendPlan plan, ref SendCounters counters)
    {
        Debug.Assert(
            counters.TriedMessage <= plan.NextMessage && counters.TriedErrno > 0,
            "Datagrams of the tried GSO message have left.");
        ref readonly GsoMessage message = ref plan.Messages[counters.TriedMessage];
        FallBack(message.Peer, message.SegmentBytes, counters.TriedErrno);
        counters.TriedMessage = SendPlan.None;
    }

    private void FallBack(in UdpEndPoint peer, int minSegmentBytes, int errno)
    {
        UdpEndPoint destination = peer.IsDefault ? Context.Remote : peer;
        _fallbacks.Add(destination, minSegmentBytes);
        Context.Counters.CountGsoFallback();
        if (_fallbackEvents.TryPass(out long count))
        {
            string reason = Errno.Describe(errno);
            if (minSegmentBytes > GsoFallbackList.AllSizes) reason += $", datagrams of {minSegmentBytes} bytes or more";
            SpateEventSource.Log.GsoFallback(destination.ToString(), reason, count);
        }
    }
}
