using System.Runtime.ExceptionServices;
using Spate.Sockets;
using Spate.Waiting;

namespace Spate.Waiting;

/// <summary>
/// The awaited calls of one socket that wait. When the socket gets ready, they are run in order on the readiness
/// thread until one
/// would wait again; then readiness is asked for anew.
/// </summary>
internal sealed class PendingOperations : IDisposable
{
    private readonly Lock _lock = new();
    private readonly OperationQueue _reads = new();
    private readonly OperationQueue _writes = new();
    private readonly CallGate _gate;
    private readonly SocketContext _context;
    private readonly SocketReadiness _readiness;
    private bool _closed;

    public PendingOperations(DatagramBackend backend, SocketContext context, CallGate gate)
    {
        _gate = gate;
        _context = context;
        _readiness = backend.CreateReadiness(OnReady);
    }

    /// <summary>Whether a send waits, which later ones must not overtake.</summary>
    public bool HasWrites
    {
        get
        {
            lock (_lock) return _writes.First is not null;
        }
    }

    public void Add(PendingOperation operation)
    {
        bool closed;
        lock (_lock)
        {
            closed = _closed;
            if (closed)
            {
                operation.SetClosed();
            }
            else
            {
                QueueOf(operation.IsWrite).Add(operation);
                _readiness.Hold(true);
            }
        }

        if (closed) operation.Signal();
        else Request(TakeLater());
    }

    public void Cancel(PendingOperation operation, CancellationToken token)
    {
        lock (_lock)
        {
            if (!Remove(operation)) return;
            operation.SetCancelled(token);
        }

        operation.Signal();
    }

    /// <summary>
    /// Ends every waiting call as closed. The descriptor must still be open. What an inline continuation throws is
    /// thrown here, the first of several, once all calls have ended.
    /// </summary>
    public void Dispose()
    {
        lock (_lock) _closed = true;
        _readiness.Dispose();
        EndAll(fault: null);
    }

    /// <summary>
    /// Runs waiting reads although the kernel may have nothing new: another call has left datagrams for them.
    /// </summary>
    public void RunReadsSoon()
    {
        lock (_lock)
        {
            if (_closed || _reads.First is null) return;
        }

        _readiness.RequestLater(ReadyEvents.Readable);
    }

    private void OnReady(ReadyEvents events)
    {
        // No HasFlag: it allocates until the method is optimized.
        if ((events & ReadyEvents.Readable) != ReadyEvents.None) Run(_reads);
        if ((events & ReadyEvents.Writable) != ReadyEvents.None) Run(_writes);
        Request(TakeLater());
    }

    // A call that failed although something is there would find it ready at once, again and again.
    private bool TakeLater()
    {
        bool later = _context.RetryReceiveLater || _context.RetrySendLater;
        if (later) _context.RetryReceiveLater = _context.RetrySendLater = false;
        return later;
    }

    // Signals outside the gate: what goes on inline may close the socket, and Close waits for the gate to empty.
    private void Run(OperationQueue queue)
    {
        while (TryRunFirst(queue) is { } ended) ended.Signal();
    }

    private PendingOperation? TryRunFirst(OperationQueue queue)
    {
        if (!_gate.TryEnter()) return null;
        try
        {
            lock (_lock)
            {
                if (_closed || queue.First is not { } operation || !TryRun(operation)) return null;
                Remove(operation);
                return operation;
            }
        }
        finally
        {
            _gate.Leave();
        }
    }

    // What a blocking call would throw (a batch was disposed, say) belongs to the one who awaits: on this thread it
    // would end the process.
    private static bool TryRun(PendingOperation operation)
    {
        try
        {
            return operation.TryRun();
        }
        catch (Exception fault)
        {
            operation.SetFault(fault);
            return true;
        }
    }

    private void Request(bool later)
    {
        ReadyEvents wanted = ReadyEvents.None;
        lock (_lock)
        {
            if (_closed) return;
            if (_reads.First is not null) wanted |= ReadyEvents.Readable;
            if (_writes.First is not null) wanted |= ReadyEvents.Writable;
        }

        if (wanted == ReadyEvents.None) return;
        try
        {
            if (later) _readiness.RequestLater(wanted);
            else _readiness.Request(wanted);
        }
        catch (Exception fault)
        {
            // Nothing would ever wake them; and on the readiness thread the exception would end the process.
            EndAll(fault);
        }
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

    private PendingOperation? TryEndFirst(Exception? fault)
    {
        lock (_lock)
        {
            if ((_reads.First ?? _writes.First) is not { } operation) return null;
            Remove(operation);
            if (fault is null) operation.SetClosed();
            else operation.SetFault(fault);
            return operation;
        }
    }

    // Under the lock. What waits is kept by its wait, perhaps by nothing else; what does not wait may be forgotten.
    private bool Remove(PendingOperation operation)
    {
        if (!QueueOf(operation.IsWrite).Remove(operation)) return false;
        if (_reads.First is null && _writes.First is null) _readiness.Hold(false);
        return true;
    }

    private OperationQueue QueueOf(bool isWrite) => isWrite ? _writes : _reads;
}
