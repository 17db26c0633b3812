using Spate.Interop.Windows;
using Spate.Sockets.Rio;

namespace Spate.Tests.Sockets.Rio;

/// <summary>A rule of Registered I/O that a mutant of the backend breaks.</summary>
public enum RioRule
{
    /// <summary>No rule: the real functions, unchanged.</summary>
    None,

    /// <summary>One notification is awaited at a time.</summary>
    OneNotification,

    /// <summary>Only a queue that was made with a notification notifies.</summary>
    NotificationAtTheStart,

    /// <summary>A slice lies within its registration.</summary>
    SliceInside,

    /// <summary>A slice has the identifier of a registration.</summary>
    Registered,

    /// <summary>No more requests than the request queue was made for.</summary>
    RequestsOfTheQueue,

    /// <summary>A completion queue has an entry for each request of its request queues.</summary>
    EntriesOfTheQueue,

    /// <summary>A request has memory that no other has.</summary>
    MemoryOfItsOwn,

    /// <summary>A deferred request is committed.</summary>
    Committed,

    /// <summary>One thread at a time takes completions.</summary>
    OneThreadTakes,

    /// <summary>One thread at a time posts.</summary>
    OneThreadPosts,

    /// <summary>Memory is registered until the last completion was taken.</summary>
    MemoryToTheEnd,

    /// <summary>A completion queue is open until the last completion was taken.</summary>
    QueueToTheEnd,
}

/// <summary>The real functions, in a way that breaks one rule.</summary>
internal readonly unsafe struct MutantRioCalls(WindowsRioCalls real, RioRule broken, RioMutant mutant) : IRioCalls
{
    public nint RegisterBuffer(void* memory, uint bytes, out int error) =>
        real.RegisterBuffer(memory, bytes, out error);

    public void DeregisterBuffer(nint bufferId) => real.DeregisterBuffer(bufferId);

    public nint CreateCompletionQueue(uint entryCount, RIO_NOTIFICATION_COMPLETION* notification, out int error) =>
        real.CreateCompletionQueue(
            broken == RioRule.EntriesOfTheQueue ? entryCount - 1 : entryCount,
            broken == RioRule.NotificationAtTheStart ? null : notification,
            out error);

    public void CloseCompletionQueue(nint completionQueue) => real.CloseCompletionQueue(completionQueue);

    public nint CreateRequestQueue(nint socket, uint requestCount, nint completionQueue, out int error) =>
        real.CreateRequestQueue(
            socket, broken == RioRule.RequestsOfTheQueue ? requestCount - 1 : requestCount, completionQueue, out error);

    public int Receive(
        nint requestQueue, RIO_BUF* payload, RIO_BUF* peer, RIO_BUF* control, RIO_BUF* receivedFlags, uint flags,
        ulong requestContext)
    {
        RIO_BUF slice = *payload;
        if (broken == RioRule.SliceInside) slice.Length += 1 << 20;
        if (broken == RioRule.Registered) slice.BufferId++;
        if (broken == RioRule.MemoryOfItsOwn) slice.Offset = 0;
        if (broken == RioRule.OneThreadPosts)
        {
            WindowsRioCalls calls = real;
            mutant.Accompany(() =>
            {
                RIO_BUF refused = default;
                calls.Receive(requestQueue, &refused, null, null, null, MSWSock.RIO_MSG_DEFER, 0);
            });
        }

        return mutant.Note(
            real.Receive(requestQueue, &slice, peer, control, receivedFlags, flags, requestContext));
    }

    public int Commit(nint requestQueue) => broken == RioRule.Committed ? 0 : real.Commit(requestQueue);

    public uint Dequeue(nint completionQueue, RIORESULT* results, uint count)
    {
        if (broken == RioRule.OneThreadTakes)
        {
            WindowsRioCalls calls = real;
            mutant.Accompany(() => calls.Dequeue(completionQueue, null, 0));
        }

        if (broken is not (RioRule.MemoryToTheEnd or RioRule.QueueToTheEnd) || !mutant.IsClosing)
        {
            return real.Dequeue(completionQueue, results, count);
        }

        // The backend believes that all requests have ended.
        new Span<RIORESULT>(results, (int)count).Clear();
        return count;
    }

    public int Notify(nint completionQueue)
    {
        if (broken == RioRule.OneNotification) mutant.Note(real.Notify(completionQueue));
        return mutant.Note(real.Notify(completionQueue));
    }
}

/// <summary>The errors that calls of a mutant got, and the thread that makes calls at the same time.</summary>
internal sealed class RioMutant
{
    private Thread? _other;

    public HashSet<int> Errors { get; } = [];

    public bool IsClosing { get; private set; }

    public int Note(int error)
    {
        lock (Errors) Errors.Add(error);
        return error;
    }

    /// <summary>Makes a call again and again on another thread, until <see cref="End"/>.</summary>
    public void Accompany(Action call)
    {
        if (_other is not null) return;
        _other = new Thread(() =>
        {
            while (!IsClosing) call();
        });
        _other.Start();
    }

    /// <summary>Ends the other thread: the socket is about to be closed.</summary>
    public void End()
    {
        IsClosing = true;
        _other?.Join();
    }
}
