using System.Diagnostics;
using System.Runtime.ExceptionServices;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>
/// The awaited calls of one socket that wait, and ended calls that can be reused. When the socket becomes ready, its
/// event thread tries the calls in order until a call has to wait again. Then it requests the next event.
/// </summary>
internal sealed class PendingCalls(Receiver receiver, SocketContext context, CallGate gate) : IDisposable
{
    private readonly Lock _lock = new();
    private PendingQueue _receives;
    private PendingQueue _sends;
    private CallPool? _free;

    // Set by the first call that waits, so a socket without awaited calls costs the event threads nothing. Events for
    // receives and for sends may come from different descriptors: those of a ring and of the socket.
    private EventThread? _thread;
    private AwaitedEntry? _reads;
    private AwaitedEntry? _writes;
    private bool _closed;

    /// <summary>The threads of which the socket gets one; tests replace them.</summary>
    public EventThreads Threads { get; set; } = EventThreads.Shared;

    public SocketContext Context => context;

    /// <summary>The clock for time limits.</summary>
    public TimeProvider Time => context.Options.TimeProvider;

    /// <summary>Whether a send waits. Later sends must not overtake it.</summary>
    public bool HasSends => _sends.First is not null;

    /// <summary>
    /// Queues a call that was tried and could not complete, so that it waits for the socket. A timeout of -1 waits
    /// forever.
    /// </summary>
    /// <exception cref="System.Net.Sockets.SocketException">The system has no descriptor to wait with.</exception>
    public ValueTask<TResult> StartAsync<TAttempt, TResult>(
        in TAttempt attempt, AttemptStatus last, int timeoutMilliseconds, CancellationToken token)
        where TAttempt : struct, IAttempt<TResult>
    {
        PendingCall<TAttempt, TResult> call = _free?.Take<PendingCall<TAttempt, TResult>>()
            ?? new PendingCall<TAttempt, TResult>(this, context.Options.AllowSynchronousContinuations);
        return call.StartAsync(attempt, last, timeoutMilliseconds, token);
    }

    /// <summary>Registers the socket with an event thread if it is not. Called before a call is added.</summary>
    /// <exception cref="System.Net.Sockets.SocketException">The system has no descriptor to wait with.</exception>
    public void Prepare()
    {
        if (Volatile.Read(ref _thread) is not null) return;
        lock (_lock)
        {
            if (!_closed && _thread is null) Register(Threads.Next());
        }
    }

    /// <summary>Queues a call, or ends it if the socket is closed.</summary>
    public void Add(PendingCall call, AttemptStatus last)
    {
        bool closed;
        lock (_lock)
        {
            closed = _closed;
            if (closed)
            {
                call.SetClosed();
            }
            else
            {
                Debug.Assert(_thread is not null, "Prepare registers the socket before a call is added.");
                QueueOf(call).Add(call);
                _reads!.Kept = this;
            }
        }

        if (closed) call.Signal();
        else Request(last);
    }

    /// <summary>
    /// Ends a cancelled call if the call still waits. Then returns true, and the caller signals the call.
    /// </summary>
    public bool TryCancel(PendingCall call, CancellationToken token)
    {
        lock (_lock)
        {
            if (!Remove(call)) return false;
            call.SetCanceled(token);
            return true;
        }
    }

    /// <summary>
    /// Ends a call whose time is over if the call still waits. Then returns true, and the caller signals the call.
    /// </summary>
    public bool TryTimeOut(PendingCall call)
    {
        lock (_lock)
        {
            // The object may already serve another call, whose time is not over.
            if (!call.IsOverdue || !Remove(call)) return false;
            call.SetTimedOut();
            return true;
        }
    }

    /// <summary>Puts a call into the pool for reuse, once nobody references the call any more.</summary>
    public void Return(PendingCall call)
    {
        CallPool free = _free ?? Interlocked.CompareExchange(ref _free, new CallPool(), null) ?? _free;
        free.Add(call);
    }

    /// <summary>
    /// Ends every waiting call because the socket is closed. The descriptor must still be open. If synchronous
    /// continuations throw, the first exception is thrown here after all calls have ended.
    /// </summary>
    public void Dispose()
    {
        lock (_lock)
        {
            _closed = true;
            if (_thread is { } thread)
            {
                thread.Set.Remove(_reads!);
                if (_writes != _reads) thread.Set.Remove(_writes!);
            }
        }

        EndAll(fault: null);
        Debug.Assert(_receives.First is null && _sends.First is null, "No call waits for a closed socket.");
    }

    /// <summary>
    /// Makes the waiting receives try again after about a millisecond. Used when another call has taken datagrams or an
    /// error from the kernel and has left them for these receives, because the kernel then reports no event.
    /// </summary>
    public void TryReceivesSoon()
    {
        lock (_lock)
        {
            if (!_closed && _receives.First is not null) _thread!.RequestLater(_reads!);
        }
    }

    /// <summary>Tries the waiting calls. Called on the event thread, with the events that have happened.</summary>
    public void OnReady(ReadyEvents events)
    {
        // HasFlag is not used because it allocates until the method is optimized.
        AttemptStatus last = AttemptStatus.Waits;
        if ((events & ReadyEvents.Readable) != ReadyEvents.None) Run(ref _receives, ref last);
        if ((events & ReadyEvents.Writable) != ReadyEvents.None) Run(ref _sends, ref last);
        Request(last);
    }

    // Called under the lock.
    private void Register(EventThread thread)
    {
        // If only one thread may receive, receives cannot be awaited, so the socket waits only for sends.
        int socket = context.Descriptor;
        _reads = new AwaitedEntry(receiver.Traits.NeedsOneThread ? socket : receiver.Traits.PollDescriptor, this);
        _writes = _reads.Descriptor == socket ? _reads : new AwaitedEntry(socket, this);
        thread.Add(_reads);
        try
        {
            if (_writes != _reads) thread.Add(_writes);
        }
        catch
        {
            thread.Set.Remove(_reads);
            throw;
        }

        Volatile.Write(ref _thread, thread);
    }

    // Tries the calls of a queue in order. Signals each ended call outside the gate: a synchronous continuation may
    // close the socket, and the close waits until the gate is empty.
    private void Run(ref PendingQueue queue, ref AttemptStatus last)
    {
        // A call that is added meanwhile requests an event itself. So no lock is taken for an empty queue, nor in
        // Request.
        while (queue.First is not null && TryRunFirst(ref queue, ref last) is { } ended) ended.Signal();
    }

    private PendingCall? TryRunFirst(ref PendingQueue queue, ref AttemptStatus last)
    {
        if (!gate.TryEnter()) return null;
        try
        {
            lock (_lock)
            {
                if (_closed || queue.First is not { } call) return null;
                AttemptStatus status = TryRun(call);
                if (status == AttemptStatus.RetriesLater) last = status;
                if (status != AttemptStatus.Ended) return null;
                bool wasQueued = Remove(call);
                Debug.Assert(wasQueued, "The lock lets nobody else end a call that is tried.");
                return call;
            }
        }
        finally
        {
            gate.Leave();
        }
    }

    // Passes an exception of the call (for instance, the batch was disposed) to the awaiting method. Thrown on this
    // thread, the exception would end the process.
    private static AttemptStatus TryRun(PendingCall call)
    {
        try
        {
            return call.TryRun();
        }
        catch (Exception fault)
        {
            call.SetFault(fault);
            return AttemptStatus.Ended;
        }
    }

    // Requests the events for which calls wait. The event has disarmed the entry, so all of them are requested again.
    // If a call failed although the socket is ready, only after a pause: without it the system would report the socket
    // at once, and the thread would spin.
    private void Request(AttemptStatus last)
    {
        if (_receives.First is null && _sends.First is null) return;
        try
        {
            // PrepareToWait may read memory that the socket frees when it is closed, so Dispose waits for this lock.
            lock (_lock) RequestLocked(later: last == AttemptStatus.RetriesLater);
        }
        catch (Exception fault)
        {
            // Without a request nothing would ever wake the calls, so they end with the exception. Thrown on the event
            // thread, the exception would end the process.
            EndAll(fault);
        }
    }

    private void RequestLocked(bool later)
    {
        // Requests nothing for a closing socket: the socket stays ready, but its calls cannot be tried any more. The
        // close ends them.
        if (_closed || gate.IsClosed) return;
        ReadyEvents reads = _receives.First is null ? ReadyEvents.None : ReadyEvents.Readable;
        ReadyEvents writes = _sends.First is null ? ReadyEvents.None : ReadyEvents.Writable;
        if ((reads | writes) == ReadyEvents.None) return;
        if (later)
        {
            _thread!.RequestLater(_reads!);
        }
        else if (_reads == _writes)
        {
            _thread!.Set.Request(_reads!, reads | writes);
        }
        else
        {
            RequestApart(reads, writes);
        }
    }

    private void RequestApart(ReadyEvents reads, ReadyEvents writes)
    {
        if (reads != ReadyEvents.None)
        {
            if (receiver.PrepareToWait()) _thread!.Set.Request(_reads!, reads);
            else _thread!.RequestLater(_reads!);
        }

        if (writes != ReadyEvents.None) _thread!.Set.Request(_writes!, writes);
    }

    private void EndAll(Exception? fault)
    {
        ExceptionDispatchInfo? thrown = null;
        while (TryEndFirst(fault) is { } ended)
        {
            try
            {
                ended.Signal();
            }
            catch (Exception ofContinuation)
            {
                thrown ??= ExceptionDispatchInfo.Capture(ofContinuation);
            }
        }

        thrown?.Throw();
    }

    private PendingCall? TryEndFirst(Exception? fault)
    {
        lock (_lock)
        {
            if ((_receives.First ?? _sends.First) is not { } call) return null;
            Remove(call);
            if (fault is null) call.SetClosed();
            else call.SetFault(fault);
            return call;
        }
    }

    // Called under the lock. Waiting calls keep the socket from being collected; after the last of them the socket may
    // be collected.
    private bool Remove(PendingCall call)
    {
        if (!QueueOf(call).Remove(call)) return false;
        if (_receives.First is null && _sends.First is null)
        {
            _reads!.Kept = null;
            _thread!.Set.Withdraw(_reads);
        }

        return true;
    }

    private ref PendingQueue QueueOf(PendingCall call) => ref call.IsSend ? ref _sends : ref _receives;

    /// <summary>
    /// Ended calls of all kinds, for reuse. The pool has its own lock, because an awaiting method returns its call
    /// while the event thread works on the queues.
    /// </summary>
    private sealed class CallPool
    {
        // If the pool is full, the garbage collector frees the ended calls.
        private const int MaxCount = 64;

        private readonly Lock _lock = new();
        private PendingCall? _first;
        private int _count;

        public T? Take<T>()
            where T : PendingCall
        {
            lock (_lock)
            {
                PendingCall? previous = null;
                for (PendingCall? call = _first; call is not null; previous = call, call = call.Next)
                {
                    if (call is not T found) continue;
                    if (previous is null) _first = call.Next;
                    else previous.Next = call.Next;
                    _count--;
                    return found;
                }

                return null;
            }
        }

        public void Add(PendingCall call)
        {
            lock (_lock)
            {
                if (_count == MaxCount) return;
                _count++;
                call.Next = _first;
                _first = call;
            }
        }
    }
}
