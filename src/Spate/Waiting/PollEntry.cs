using System.Net.Sockets;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// One socket in a poller. At most one thread at a time has claimed it, and handles it. An event during a claim asks
/// the claiming thread to look once more, so no event is lost, no socket is handled twice at once, and neither needs a
/// call to the system.
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

    /// <summary>Where events come by callback; otherwise null.</summary>
    public SocketReadiness? Readiness { get; set; }

    public bool HasLeft => Volatile.Read(ref _state) == Left;

    /// <summary>True: the caller has the claim. False: another thread has it and will look once more.</summary>
    public bool TryClaim()
    {
        while (true)
        {
            int state = Interlocked.CompareExchange(ref _state, Claimed, Idle);
            if (state == Idle) return true;

            // The claim may end in between; then the next round gets it after all.
            if (state != Claimed
                || Interlocked.CompareExchange(ref _state, ClaimedWithEvent, Claimed) == Claimed)
            {
                return false;
            }
        }
    }

    /// <summary>Ends the claim. False: an event came meanwhile, and the claim goes on.</summary>
    public bool TryRelease()
    {
        if (Interlocked.CompareExchange(ref _state, Idle, Claimed) != ClaimedWithEvent) return true;
        Interlocked.CompareExchange(ref _state, Claimed, ClaimedWithEvent);
        return false;
    }

    /// <summary>Ends the claim, whatever came meanwhile.</summary>
    public void Release()
    {
        while (!TryRelease())
        {
            // The event is dropped: the caller sees to it that the entry is looked at again.
        }
    }

    /// <summary>From now on nobody gets a claim. False if the entry had left already.</summary>
    public bool Leave() => Interlocked.Exchange(ref _state, Left) != Left;
}

/// <summary>What one polling thread keeps from call to call; it goes with the thread's batch.</summary>
internal sealed class PollThread(PollSource source)
{
    /// <summary>
    /// Sockets that one thread claims at once: enough to make the call that finds them cheap, few enough to leave some
    /// for the others.
    /// </summary>
    public const int MaxEntries = 64;

    public PollSource Source { get; } = source;

    /// <summary>Sockets that this thread has claimed.</summary>
    public PollEntry[] Entries { get; } = new PollEntry[MaxEntries];

    /// <summary>What <see cref="Receiver.Prefetch"/> has returned, kept so that the reading is not left out.</summary>
    public bool Prefetched { get; set; }

    /// <summary>How many calls of <see cref="PollSource.Wake"/> this thread has returned for.</summary>
    public long WakesSeen { get; set; }
}
