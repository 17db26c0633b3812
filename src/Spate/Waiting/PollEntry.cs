using System.Net.Sockets;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// One socket in a poller. A thread claims the entry before it handles the socket; only one thread at a time has the
/// claim. An event during a claim makes the claiming thread receive once more. So no event is lost and no two threads
/// handle the socket at once, without a call to the system.
/// </summary>
internal class PollEntry(PollSource source, Socket socket, int descriptor) : EpollEntry(descriptor)
{
    private const int Idle = 0;
    private const int Claimed = 1;
    private const int ClaimedWithEvent = 2;
    private const int Left = 3;

    private int _state;

    public PollSource Source { get; } = source;

    public Socket Socket { get; } = socket;

    /// <summary>The readiness that reports events by callback; null with <see cref="EpollSource"/>.</summary>
    public SocketReadiness? Readiness { get; set; }

    public bool HasLeft => Volatile.Read(ref _state) == Left;

    /// <summary>
    /// Claims the entry. Returns false if the entry was removed, or if another thread has the claim: that thread then
    /// receives once more.
    /// </summary>
    public bool TryClaim()
    {
        while (true)
        {
            int state = Interlocked.CompareExchange(ref _state, Claimed, Idle);
            if (state == Idle) return true;

            // If the claim of the other thread ends between the two exchanges, the next round gets the claim.
            if (state != Claimed
                || Interlocked.CompareExchange(ref _state, ClaimedWithEvent, Claimed) == Claimed)
            {
                return false;
            }
        }
    }

    /// <summary>Ends the claim. Returns false if an event came during the claim: the claim then continues.</summary>
    public bool TryRelease()
    {
        if (Interlocked.CompareExchange(ref _state, Idle, Claimed) != ClaimedWithEvent) return true;
        Interlocked.CompareExchange(ref _state, Claimed, ClaimedWithEvent);
        return false;
    }

    /// <summary>Ends the claim, even if an event came during the claim.</summary>
    public void Release()
    {
        while (!TryRelease())
        {
            // The event is dropped, because the caller makes sure that the entry is reported again.
        }
    }

    /// <summary>
    /// Marks the entry as removed: from now on no thread can claim it. Returns false if it was removed before.
    /// </summary>
    public bool Leave() => Interlocked.Exchange(ref _state, Left) != Left;
}

/// <summary>The state of one polling thread between its calls, kept in the batch of the thread.</summary>
internal sealed class PollThread(PollSource source)
{
    /// <summary>
    /// The most sockets that one thread claims at once. Enough to make the system call cheap per socket; few enough to
    /// leave sockets for other threads.
    /// </summary>
    public const int MaxEntries = 64;

    public PollSource Source { get; } = source;

    /// <summary>The sockets that this thread has claimed.</summary>
    public PollEntry[] Entries { get; } = new PollEntry[MaxEntries];

    /// <summary>
    /// The combined results of <see cref="Receiver.Prefetch"/>, stored so that the reads are not optimised away.
    /// </summary>
    public bool Prefetched { get; set; }

    /// <summary>The source's count of wakes when this thread last returned because of a wake.</summary>
    public long WakesSeen { get; set; }
}
