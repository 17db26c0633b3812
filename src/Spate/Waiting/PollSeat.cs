namespace Spate.Waiting;

/// <summary>What one polling thread keeps from call to call; it goes with the thread's batch.</summary>
internal sealed class PollSeat(PollSource source)
{
    /// <summary>
    /// Sockets that one thread takes at once: enough to make the call that finds them cheap, few enough to leave some
    /// for the others.
    /// </summary>
    public const int EntryCountMax = 64;

    public PollSource Source { get; } = source;

    /// <summary>Sockets whose turn this thread has.</summary>
    public PollEntry[] Entries { get; } = new PollEntry[EntryCountMax];

    /// <summary>Sum of what was read to warm the caches.</summary>
    public long Warmth { get; set; }

    /// <summary>How many of <see cref="PollSource.Wake"/> this thread has returned for.</summary>
    public long WakesSeen { get; set; }
}
