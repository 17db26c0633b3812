namespace Spate.Sockets.Rio;

/// <summary>
/// How calls of a socket wait for completions. The system gives one notification for each time that it was asked, and
/// it ends one wait. So a call that may have used up the notification of another one asks again at its end.
/// </summary>
internal sealed class RioWait<TCalls>(SocketContext context, RioParts<TCalls> parts)
    where TCalls : struct, IRioCalls
{
    /// <summary>The longest wait if nothing announces the next datagram.</summary>
    private const int UnannouncedMilliseconds = 1;

    /// <summary>
    /// The longest wait of a call on a socket for which other code waits too. That code may use up a notification and
    /// then make no call that would ask again: an awaited receive that was cancelled.
    /// </summary>
    private const int SharedMilliseconds = 100;

    private int _waitingCount;
    private volatile bool _isPrepared;

    /// <summary>Waits until a completion may be there, the socket is closed, or the timeout ends.</summary>
    public void Wait(int timeoutMilliseconds)
    {
        // The increment is a full barrier: either this call's request for a notification comes after the completions
        // that another call takes, or that call sees that this one waits.
        Interlocked.Increment(ref _waitingCount);
        try
        {
            bool isAnnounced = parts.Completions.Announce() && !parts.Requests.NeedsPost;
            if (context.IsClosed) return;
            int longest = !isAnnounced ? UnannouncedMilliseconds : _isPrepared ? SharedMilliseconds : -1;
            parts.Signal.Wait(longest < 0 ? timeoutMilliseconds : Deadline.Shorter(timeoutMilliseconds, longest));
        }
        finally
        {
            Interlocked.Decrement(ref _waitingCount);
        }
    }

    /// <summary>Asks for a notification for other code, which waits for the event.</summary>
    public bool Prepare()
    {
        _isPrepared = true;
        return parts.Repost() == 0 && parts.Completions.Announce();
    }

    /// <summary>
    /// Asks for a notification again at the end of a call, if others wait and the call may have used up theirs.
    /// </summary>
    /// <param name="hasWaited">Whether the call has waited itself.</param>
    public void PassOn(bool hasWaited)
    {
        // Threads that share the socket may wait in sets of their own, for which nothing is counted here. While this
        // thread handles its datagrams, one of them is to take the next ones.
        bool othersWait = Volatile.Read(ref _waitingCount) > 0;
        bool othersMayWait = _isPrepared && (hasWaited || !context.Options.SingleReader);
        if (!othersWait && !othersMayWait) return;
        if (context.IsClosed) parts.Signal.Set();
        else parts.Completions.Announce();
    }
}
