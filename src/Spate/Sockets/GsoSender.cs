using System.Diagnostics;
using Spate.Buffers;
using Spate.Diagnostics;
using Spate.Segmentation;

namespace Spate.Sockets;

/// <summary>
/// What senders of GSO messages have in common: how they react to a failed send call. The datagram is retried, at once
/// or when the socket has room; or the datagrams of its GSO message are sent without GSO; or the datagram is refused.
/// </summary>
/// <typeparam name="TPolicy">The meaning of the error numbers of the sender's calls.</typeparam>
/// <param name="context">The socket's context.</param>
/// <param name="segments">Whether datagrams of the same peer and size are sent as GSO messages.</param>
/// <param name="usesHeaders">Whether the queues have message headers.</param>
internal abstract class GsoSender<TPolicy>(SocketContext context, bool segments, bool usesHeaders)
    : Sender(context, segments, usesHeaders)
    where TPolicy : struct, IErrorPolicy
{
    private readonly EventThrottle _fallbackEvents = new(context.Options.TimeProvider);

    /// <summary>The destinations that get plain datagrams for a while.</summary>
    protected GsoFallbackList Fallbacks { get; } = new(context.Options.TimeProvider, context.Remote);

    /// <summary>
    /// Waits until the socket has room for a datagram. Returns false if the send ends, with its status set.
    /// </summary>
    protected abstract bool WaitWritable(ref SendCounters counters);

    /// <summary>
    /// Handles the error of a send call, which concerns the first message of the call. Returns whether the send
    /// continues.
    /// </summary>
    /// <param name="plan">The plan of the batch; its next datagram is the first of the failed message.</param>
    /// <param name="segmentCount">The number of datagrams in the failed message.</param>
    /// <param name="error">The error.</param>
    /// <param name="counters">The state of the send.</param>
    protected bool OnSendError(SendPlan plan, int segmentCount, int error, ref SendCounters counters)
    {
        // EINVAL for port 0 does not mean that GSO failed: the kernel refuses port 0 without GSO too. A reply goes to
        // port 0 if the received datagram had port 0 as its source.
        ref readonly UdpEndPoint peer = ref plan.Messages[plan.NextMessage].Peer;
        bool blamesGso = segmentCount > 1 && (peer.Port != 0 || peer.IsDefault);
        ErrorRow actions = TPolicy.Of(error);
        ErrnoAction action = blamesGso ? actions.SendGso : actions.SendOne;
        bool goesPlainly = action is ErrnoAction.FallBack or ErrnoAction.TryPlainly;
        if (goesPlainly && !TryOnceMore(error, ref counters))
        {
            if (action == ErrnoAction.FallBack) FallBack(peer, GsoFallbackList.AllSizes, error);
            else (counters.TriedMessage, counters.TriedError) = (plan.NextMessage, error);
            return true;
        }

        if (TryGoOn(action, error, ref counters)) return true;
        if (counters.Status != SendStatus.Done) return false;

        Debug.Assert(error > 0 && plan.HasUnsent);

        // A refusal concerns the destination, so every datagram of a GSO message is refused.
        for (int i = segmentCount; i > 0; i--)
            CountRefused(TPolicy.ToSocketError(error), ref counters);

        // If a datagram of the tried GSO message (TriedMessage) is refused without GSO too, GSO was not the reason, so
        // the trial ends. The rest of the message is still sent as plain datagrams.
        counters.TriedMessage = SendPlan.None;
        plan.Advance(segmentCount);
        counters.ForgetErrors();
        return true;
    }

    /// <summary>
    /// Handles the error of a send of a single datagram. Returns true to send the same datagram again. Otherwise the
    /// datagram is refused, or the send ends and has another status than Done.
    /// </summary>
    protected bool OnSendOneError(int error, ref SendCounters counters)
    {
        if (TryGoOn(TPolicy.Of(error).SendOne, error, ref counters)) return true;
        if (counters.Status == SendStatus.Done) CountRefused(TPolicy.ToSocketError(error), ref counters);
        return false;
    }

    /// <summary>
    /// Ends the trial of a refused GSO message (<see cref="SendCounters.TriedMessage"/>). Its datagrams were sent
    /// without GSO, so its segment size was the reason for the refusal.
    /// </summary>
    protected void EndTrial(SendPlan plan, ref SendCounters counters)
    {
        Debug.Assert(
            counters.TriedMessage <= plan.NextMessage && counters.TriedError > 0,
            "Datagrams of the tried GSO message have left.");
        ref readonly GsoMessage message = ref plan.Messages[counters.TriedMessage];
        FallBack(message.Peer, message.SegmentBytes, counters.TriedError);
        counters.TriedMessage = SendPlan.None;
    }

    protected void NameDefaultPeer(SendQueue queue)
    {
        if (queue.HasControls) queue.RequireSuiting(Context.Remote);
        queue.Plan.NameDefaultPeer(Context.Remote);
    }

    /// <summary>
    /// Writes the peer's address into <paramref name="name"/> in the form that the kernel expects: on an IPv6 socket,
    /// an IPv4 address becomes a mapped address.
    /// </summary>
    /// <returns>
    /// The length of the name; 0 if the datagram goes to the peer to which the socket is connected. Without a name the
    /// kernel uses the route that the socket has cached (13 % cheaper).
    /// </returns>
    protected int SetName(in UdpEndPoint peer, ref UdpEndPoint name)
    {
        if (peer.IsDefault || (Context.IsConnected && peer == Context.Remote)) return 0;
        name = Context.IsIPv6 && peer.IsIPv4 ? peer.ToMapped() : peer;
        return name.NativeLength;
    }

    /// <summary>
    /// Performs the action, which may include a wait. Returns true to retry the same datagram. Returns false with
    /// status Done if the datagram is refused, and false with another status if the send ends.
    /// </summary>
    private bool TryGoOn(ErrnoAction action, int error, ref SendCounters counters)
    {
        if (Context.IsClosed) action = ErrnoAction.Closed;
        switch (action)
        {
            case ErrnoAction.Retry:
                return true;
            case ErrnoAction.PendingError when IsEarlierOnes(error, ref counters):
                // The error may concern a datagram to another peer. The call that reported the error has cleared it
                // (udp.7), so the retry does not get the same error again.
                if (Context.HearsOfIcmp || !TPolicy.MayBeRoute(error)) Context.Counters.CountIcmpError();
                Context.NoteIcmpErrorOfSend(TPolicy.ToSocketError(error));
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
                throw ReceiveFaults.Bug("A send", TPolicy.Describe(error));
            case ErrnoAction.FallBack or ErrnoAction.TryPlainly:
                return true;
            default:
                return TryOnceMore(error, ref counters);
        }
    }

    // Whether to attribute a pending error to an earlier datagram. EHOSTUNREACH and ENETUNREACH may also come from the
    // route of the current datagram, so only the first of these is attributed to an earlier datagram.
    private static bool IsEarlierOnes(int error, ref SendCounters counters)
    {
        bool isIcmpOnly = !TPolicy.MayBeRoute(error);
        if (isIcmpOnly) return ++counters.PendingErrorCount <= SendCounters.MaxPendingErrorCount;
        bool isFirst = !counters.MetDoubtfulError;
        counters.MetDoubtfulError = true;
        return isFirst;
    }

    private bool TryOnceMore(int error, ref SendCounters counters)
    {
        if (counters.MetDoubtfulError || !Context.HearsOfIcmp || !TPolicy.MayBePending(error)) return false;
        counters.MetDoubtfulError = true;
        return true;
    }

    private void FallBack(in UdpEndPoint peer, int minSegmentBytes, int error)
    {
        UdpEndPoint destination = peer.IsDefault ? Context.Remote : peer;
        Fallbacks.Add(destination, minSegmentBytes);
        Context.Counters.CountGsoFallback();
        if (_fallbackEvents.TryPass(out long count))
        {
            string reason = TPolicy.Describe(error);
            if (minSegmentBytes > GsoFallbackList.AllSizes) reason += $", datagrams of {minSegmentBytes} bytes or more";
            SpateEventSource.Log.GsoFallback(destination.ToString(), reason, count);
        }
    }
}
