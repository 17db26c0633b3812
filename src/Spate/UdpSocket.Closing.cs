using Spate.Diagnostics;

namespace Spate;

// The closing of a socket, blocking and awaited.
public sealed partial class UdpSocket
{
    // How long closing waits for calls to leave before it wakes them again.
    private const int NudgeMilliseconds = 100;

    private readonly TaskCompletionSource _closed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _closingThreadId;

    /// <summary>
    /// Closes the socket. Waiting calls end as closed. When this returns they have left, the descriptor is gone and the
    /// port is free; each of several concurrent calls returns only then. Takes milliseconds. Datagrams still queued in
    /// the kernel are lost. Must not be called from inside a call of the same socket; an inline continuation may call
    /// it. On Portable under Linux 6.9 and later, a socket that was awaited may keep its port some microseconds longer,
    /// until the runtime's thread is done with the socket. A forgotten socket is closed by the collector in its own
    /// time, unless a call of the socket is awaited. An exception of an inline continuation is thrown here once
    /// everything is closed.
    /// </summary>
    public void Dispose()
    {
        if (_gate.Close())
        {
            try
            {
                BeginClose();
                EndWaits();
            }
            finally
            {
                while (!_gate.WaitEmpty(NudgeMilliseconds)) WakeCalls();
                FinishClose();
            }

            return;
        }

        // On the closing thread this call runs inside the first one, in an inline continuation. It must not wait then:
        // the first call goes on only after this one has returned.
        if (_closingThreadId != Environment.CurrentManagedThreadId) _closed.Task.Wait();
    }

    /// <summary>
    /// As <see cref="Dispose"/>, without blocking: it wakes the waiting calls, returns, and goes on in the pool. The
    /// task ends when everything is closed. An exception of an inline continuation is thrown by the task.
    /// </summary>
    public ValueTask DisposeAsync()
    {
        if (_gate.Close()) return new ValueTask(CloseAsync());

        // As in Dispose: an inline continuation that the first call runs must not wait for that call.
        bool isInsideClosing = _closingThreadId == Environment.CurrentManagedThreadId;
        return isInsideClosing ? ValueTask.CompletedTask : new ValueTask(_closed.Task);
    }

    private async Task CloseAsync()
    {
        try
        {
            BeginClose();

            // EndWaits runs inline continuations, which may block; the caller of DisposeAsync must not.
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            EndWaits();
        }
        finally
        {
            while (!await _gate.WaitEmptyAsync(NudgeMilliseconds).ConfigureAwait(false)) WakeCalls();
            FinishClose();
        }
    }

    // Whatever fails or throws on the way (an inline continuation may), the descriptor goes, and only after every call
    // has left it; and other calls of Dispose return.
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
            // The thread may come back with a call that must wait as any other does.
            _closingThreadId = 0;
        }
    }

    private void FinishClose()
    {
        try
        {
            ReadKernelDrops();
            LeavePollCore(null);
            _receiver.Close();
        }
        finally
        {
            // Last: closing the receiver counts the datagrams that nobody has received.
            SpateMeter.Remove(_meterEntry);
            _context.Socket.Dispose();
            _closed.SetResult();
        }
    }

    private void WakeCalls()
    {
        _context.Shutdown();
        _receiver.Wake();
    }
}
