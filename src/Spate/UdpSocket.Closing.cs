using Spate.Diagnostics;
using Spate.Sockets;

namespace Spate;

// Closing a socket: by a blocking call or an awaited one.
public sealed partial class UdpSocket
{
    // How long closing waits for calls to return before it wakes these calls again.
    private const int NudgeMilliseconds = 100;

    private readonly TaskCompletionSource _closed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _closingThreadId;

    /// <summary>
    /// Closes the socket and frees its port. Calls that wait are woken and report a closed socket. This method returns
    /// when all calls have returned, the descriptor is closed and the port is free. If several threads call this
    /// method, each of them returns only then. Closing takes milliseconds. Datagrams that are still queued in the
    /// kernel are lost. Do not call this method from inside a call of the same socket, except from a synchronous
    /// continuation. This method never throws: if a synchronous continuation throws, everything is still closed, and
    /// the event <c>CloseFaulted</c> of the event source <c>Spate</c> reports the exception. A socket that is never
    /// disposed is closed by the garbage collector at some later time, but not while a call of the socket is awaited.
    /// </summary>
    public void Dispose()
    {
        try
        {
            Close();
        }
        catch (Exception fault)
        {
            SpateEventSource.ReportCloseFault(fault);
        }
    }

    /// <summary>
    /// Closes the socket as <see cref="Dispose"/> does, but without blocking: wakes the waiting calls, returns,
    /// and does the rest on the thread pool. The task completes when everything is closed, and never fails.
    /// </summary>
    public ValueTask DisposeAsync()
    {
        if (_gate.Close()) return new ValueTask(CloseAsync());

        // As in Close, a call from a synchronous continuation that the first call runs must not wait for the first
        // call.
        bool isInsideClosing = _closingThreadId == Environment.CurrentManagedThreadId;
        return isInsideClosing ? ValueTask.CompletedTask : new ValueTask(_closed.Task);
    }

    /// <summary>
    /// Closes the socket as <see cref="Dispose"/> does, but throws the first exception of a synchronous continuation or
    /// of the backend, once everything is closed.
    /// </summary>
    internal void Close()
    {
        if (_gate.Close())
        {
            EndingFault fault = new();
            fault.Try(BeginClose);
            fault.Try(EndWaits);
            while (!_gate.WaitEmpty(NudgeMilliseconds)) fault.Try(WakeCalls);
            FinishClose(fault);
            fault.Throw();
            return;
        }

        // A second call on the closing thread runs inside the first call, in a synchronous continuation. The second
        // call must not wait, because the first call goes on only after the second call has returned.
        if (_closingThreadId != Environment.CurrentManagedThreadId) _closed.Task.Wait();
    }

    private async Task CloseAsync()
    {
        EndingFault fault = new();
        fault.Try(BeginClose);

        // EndWaits runs synchronous continuations, which may block. The caller of DisposeAsync must not be blocked, so
        // EndWaits runs in the thread pool.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        fault.Try(EndWaits);
        while (!await _gate.WaitEmptyAsync(NudgeMilliseconds).ConfigureAwait(false)) fault.Try(WakeCalls);
        FinishClose(fault);
        if (fault.Exception is not null) SpateEventSource.ReportCloseFault(fault.Exception);
    }

    // Marks the socket closed and wakes the calls that wait. A synchronous continuation may throw in EndWaits, which
    // both callers run next. All steps are run in any case: the descriptor is always closed, but only after every call
    // has returned, and other calls of Dispose always return.
    private void BeginClose()
    {
        _context.MarkClosed();
        WakeCalls();
    }

    private void EndWaits()
    {
        _closingThreadId = Environment.CurrentManagedThreadId;
        try
        {
            _pending.Dispose();
        }
        finally
        {
            // This thread may call Dispose again later. That call must wait, as a call on any other thread does.
            _closingThreadId = 0;
        }
    }

    private void FinishClose(EndingFault fault)
    {
        fault.Try(ReadKernelDrops);
        fault.Try(() => LeavePollCore(null));
        if (_singles is not null) fault.Try(_singles.Close);
        fault.Try(_receiver.Close);

        // The meter reads the final counters here. So the receiver must already be closed: its close counts the
        // datagrams that no call has received.
        fault.Try(() => SpateMeter.Remove(_meterEntry));
        if (_context.HasDescriptor) fault.Try(_context.Socket.Dispose);
        _closed.SetResult();
    }

    private void WakeCalls()
    {
        _context.Shutdown();
        _receiver.Wake();
    }
}
