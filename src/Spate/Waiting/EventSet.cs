using System.Collections.Concurrent;
using System.Diagnostics;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// The kinds of readiness of a socket. An error or a hang-up counts as both kinds, because a call then returns at once.
/// </summary>
[Flags]
internal enum ReadyEvents
{
    None = 0,
    Readable = 1,
    Writable = 2,
}

/// <summary>When a set reports an entry.</summary>
internal enum EventTrigger
{
    /// <summary>
    /// Only after <see cref="EventSet.Request"/>, and once per request. For sockets that mostly nobody waits for:
    /// datagrams that arrive meanwhile wake no thread.
    /// </summary>
    Once,

    /// <summary>
    /// When something can be received as the entry is added, and at each later arrival. The user has to empty the
    /// socket after a report, and then calls <see cref="EventSet.Request"/> before it waits: some sets report only what
    /// was requested.
    /// </summary>
    Edge,
}

/// <summary>
/// An entry of an <see cref="EventSet"/>: a descriptor on systems with epoll, an event handle or the socket of the
/// context on Windows, otherwise the socket of the context.
/// </summary>
internal class EventEntry(int descriptor, SocketContext? context)
{
    /// <summary>Whether <see cref="EventSet.RequestLater"/> has queued the entry.</summary>
    public bool IsRequestedLater;

    /// <summary>The descriptor that becomes ready. It may be another one than that of the socket.</summary>
    public int Descriptor { get; } = descriptor;

    /// <summary>The context of the socket; null if the socket was collected.</summary>
    public virtual SocketContext? Context => context;

    /// <summary>Set when the entry is added.</summary>
    public EventTrigger Trigger { get; set; }

    /// <summary>
    /// The number that an <see cref="EntryTable"/> gave to this entry. It is never 0 and, unlike a descriptor, is not
    /// given to another entry later.
    /// </summary>
    public ulong Id { get; set; }

    /// <summary>
    /// The events that were requested and have not happened. Together with <see cref="Happened"/> guarded by the lock
    /// of the set; not used with epoll, since the kernel keeps both.
    /// </summary>
    public ReadyEvents Requested { get; set; }

    /// <summary>The events that have happened and that no wait has reported yet.</summary>
    public ReadyEvents Happened { get; set; }

    /// <summary>The runtime's wait for the socket, if the set uses one.</summary>
    public Peek? Peek { get; set; }

    /// <summary>The system's wait for an event handle, in a <see cref="CompletionPortEventSet"/>.</summary>
    public EventWait? EventWait { get; set; }
}

/// <summary>
/// A set of sockets, in which threads wait until one of the sockets is ready. Everything that waits for several sockets
/// uses this class: the threads of all awaited calls, the threads of a poller, and each thread of a server. It has one
/// form per system. Any thread may call any member at any time. If one thread
/// waits in a set, the caller must not use the set after <see cref="Dispose"/>.
/// </summary>
internal abstract class EventSet : IDisposable
{
    protected const int LaterMilliseconds = 1;

    private static readonly TimeSpan LaterTime = TimeSpan.FromMilliseconds(LaterMilliseconds);

    private long _laterTakenTimestamp;

    /// <summary>The number of entries that were added and not removed.</summary>
    public abstract int Count { get; }

    /// <summary>Whether entries of <see cref="RequestLater"/> still have to be reported.</summary>
    public bool HasLater => !Later.IsEmpty;

    protected ConcurrentQueue<EventEntry> Later { get; } = new();

    /// <summary>Creates the set that the system offers.</summary>
    /// <param name="isShared">
    /// Whether several threads wait in the set. If so, a signal ends all waits until <see cref="EndSignal"/>. If not, a
    /// signal ends the running wait or else the next one, and needs no <see cref="EndSignal"/>.
    /// </param>
    /// <exception cref="System.Net.Sockets.SocketException">No descriptor is free.</exception>
    public static EventSet Create(bool isShared)
    {
        if (OperatingSystem.IsLinux()) return new EpollEventSet(isShared);
        return OperatingSystem.IsWindows() ? new CompletionPortEventSet(isShared) : new PortableEventSet(isShared);
    }

    public abstract EventEntry[] All();

    /// <summary>Adds an entry that is in no set.</summary>
    /// <exception cref="System.Net.Sockets.SocketException">The system refused.</exception>
    /// <exception cref="ObjectDisposedException">The set is closed.</exception>
    public abstract void Add(EventEntry entry, EventTrigger trigger);

    /// <summary>
    /// Requests a report when any of these events happens; replaces an earlier request for this entry. Now and then an
    /// entry is reported although it is not ready, or for an event of an earlier request. If the entry is not in this
    /// set, the call does nothing.
    /// </summary>
    /// <exception cref="System.Net.Sockets.SocketException">The system refused.</exception>
    public abstract void Request(EventEntry entry, ReadyEvents events);

    /// <summary>
    /// Makes a wait report the entry once, about a millisecond later, as readable and writable. For a failure such as
    /// ENOBUFS, whose end no event announces. An entry that is requested again each time is reported at most once per
    /// millisecond, so no thread spins. A wait that is already running ignores the entry; call <see cref="Signal"/> to
    /// end that wait.
    /// </summary>
    public void RequestLater(EventEntry entry)
    {
        if (!Interlocked.Exchange(ref entry.IsRequestedLater, true)) Later.Enqueue(entry);
    }

    /// <summary>
    /// Notes that nobody waits for the entry any more, so that a request does not keep its socket from being collected.
    /// </summary>
    public abstract void Withdraw(EventEntry entry);

    /// <summary>
    /// Removes an entry, whose descriptor must still be open. When this method returns, no request uses memory of the
    /// socket any more. Does nothing if the entry is not in this set.
    /// </summary>
    public abstract void Remove(EventEntry entry);

    /// <summary>
    /// Removes an entry whose descriptor is already closed, without a call to the system. Returns false if the entry is
    /// not in this set.
    /// </summary>
    public abstract bool Forget(EventEntry entry);

    /// <summary>Waits until an entry is ready, the timeout ends, a signal comes or the set is closed.</summary>
    /// <param name="ready">Receives the entries that are ready.</param>
    /// <param name="events">
    /// Receives the events of each entry. The span has the length of <paramref name="ready"/>, or is empty if the
    /// caller does not need the events.
    /// </param>
    /// <param name="timeoutMilliseconds">The maximum wait; -1 waits forever.</param>
    /// <param name="isSignalled">Whether the wait has found a signal.</param>
    /// <returns>The number of entries in <paramref name="ready"/>. It may be 0 before the timeout ends.</returns>
    public abstract int Wait(
        Span<EventEntry> ready, Span<ReadyEvents> events, int timeoutMilliseconds, out bool isSignalled);

    /// <summary>
    /// Ends all waits until <see cref="EndSignal"/> if several threads wait in the set. Otherwise ends the running
    /// wait, or the next one.
    /// </summary>
    public abstract void Signal();

    /// <summary>Resets the signal of a set in which several threads wait.</summary>
    public abstract void EndSignal();

    /// <summary>
    /// Closes the set. If several threads wait in it, the caller has to signal them, and this method returns when none
    /// of them uses the system's part of the set any more.
    /// </summary>
    public abstract void Dispose();

    /// <summary>Checks, in a debug build, the lists of a wait: epoll_wait refuses a list without room.</summary>
    [Conditional("DEBUG")]
    protected static void RequireRoom(ReadOnlySpan<EventEntry> ready, ReadOnlySpan<ReadyEvents> events) =>
        Debug.Assert(ready.Length > 0 && (events.IsEmpty || events.Length == ready.Length));

    /// <summary>Appends the entries of <see cref="RequestLater"/> whose time has come.</summary>
    /// <returns>The number of entries in <paramref name="ready"/>.</returns>
    protected int TakeLater(Span<EventEntry> ready, Span<ReadyEvents> events, int found)
    {
        if (Stopwatch.GetElapsedTime(Volatile.Read(ref _laterTakenTimestamp)) < LaterTime) return found;
        Volatile.Write(ref _laterTakenTimestamp, Stopwatch.GetTimestamp());
        for (int left = Later.Count; left > 0 && found < ready.Length; left--)
        {
            if (!Later.TryDequeue(out EventEntry? entry)) break;
            Volatile.Write(ref entry.IsRequestedLater, false);
            if (!events.IsEmpty) events[found] = ReadyEvents.Readable | ReadyEvents.Writable;
            ready[found++] = entry;
        }

        return found;
    }
}
