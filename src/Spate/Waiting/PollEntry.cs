namespace Spate.Waiting;

/// <summary>
/// One socket's place in a poller. At any moment at most one thread has its turn: an event that meets a turn asks its
/// owner to look once more, so neither is an event lost nor a socket handled twice at once, and no call to the system
/// is needed for it.
/// </summary>
internal sealed class PollEntry(PollSource source, object owner, object? state, int descriptor)
{
    private const int Idle = 0;
    private const int Busy = 1;
    private const int BusyAgain = 2;
    private const int Left = 3;

    private int _turn;

    public PollSource Source { get; } = source;

    public object Owner { get; } = owner;

    public object? State { get; } = state;

    public int Descriptor { get; } = descriptor;

    /// <summary>Its number in the source, never given to another socket, unlike a descriptor.</summary>
    public ulong Id { get; set; }

    /// <summary>Where events come by callback; otherwise null.</summary>
    public SocketReadiness? Readiness { get; set; }

    public bool HasLeft => Volatile.Read(ref _turn) == Left;

    /// <summary>True: the caller has the turn. False: another thread has it and will look once more.</summary>
    public bool TryBegin()
    {
        while (true)
        {
            int turn = Interlocked.CompareExchange(ref _turn, Busy, Idle);
            if (turn == Idle) return true;

            // The owner may end its turn in between; then the turn is this thread's after all.
            if (turn != Busy || Interlocked.CompareExchange(ref _turn, BusyAgain, Busy) == Busy) return false;
        }
    }

    /// <summary>Ends the turn. False: an event came meanwhile, the turn goes on.</summary>
    public bool TryEnd()
    {
        if (Interlocked.CompareExchange(ref _turn, Idle, Busy) != BusyAgain) return true;
        Interlocked.CompareExchange(ref _turn, Busy, BusyAgain);
        return false;
    }

    /// <summary>No turn begins any more. False if it had left already.</summary>
    public bool Leave() => Interlocked.Exchange(ref _turn, Left) != Left;
}
