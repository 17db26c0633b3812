using System.Diagnostics;
using Spate.Waiting;

namespace Spate;

// The awaited call that waits for datagrams and receives none.
public sealed partial class UdpSocket
{
    /// <summary>
    /// Waits until something can be received, but receives nothing. Use this call if many sockets share a few batches:
    /// an awaited <see cref="ReceiveAsync(ReceiveBatch, CancellationToken)"/> occupies its batch while it waits. After
    /// this call, call <see cref="TryReceive"/> with any free batch; <see cref="TryReceive"/> sometimes finds nothing.
    /// Nothing is allocated. The wait ends also for datagrams that are queued already, so nothing need be received
    /// before it: at once for datagrams that another receive took from the system and left in the socket, otherwise as
    /// soon as the event thread has looked at the socket.
    /// </summary>
    /// <param name="cancellationToken">Cancels the wait with <see cref="OperationCanceledException"/>.</param>
    /// <exception cref="InvalidOperationException">
    /// The socket was opened with <see cref="UdpSocketOptions.SingleReader"/>, so its receives cannot be awaited.
    /// </exception>
    /// <returns>True if a receive probably finds something; false once the socket is closed.</returns>
    /// <example><code>
    /// while (await socket.WaitReadableAsync())
    /// {
    ///     ReceiveBatch batch = batches.Rent();
    ///     if (socket.TryReceive(batch) == ReceiveStatus.Received) Handle(batch);
    ///     batches.Return(batch);
    /// }
    /// </code></example>
    public ValueTask<bool> WaitReadableAsync(CancellationToken cancellationToken = default)
    {
        RequireAwaitable();
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled<bool>(cancellationToken);
        if (!_gate.TryEnter()) return new ValueTask<bool>(false);
        try
        {
            // No event reports datagrams that were taken from the system already.
            if (_singles is { HasStaged: true }) return new ValueTask<bool>(true);
            AttemptStatus last = _mustRetryLater ? AttemptStatus.RetriesLater : AttemptStatus.Waits;
            _mustRetryLater = false;
            return WaitAsync<ReadableAttempt, bool>(default, last, ForeverMilliseconds, cancellationToken);
        }
        finally
        {
            _gate.Leave();
        }
    }

    /// <summary>An awaited call that waits until the socket can be read, but receives nothing.</summary>
    private readonly struct ReadableAttempt : IAttempt<bool>
    {
        public static bool IsSend => false;

        public AttemptStatus TryRun(out bool result)
        {
            result = true;
            return AttemptStatus.Ended;
        }

        public Exception? Close(out bool result)
        {
            result = false;
            return null;
        }

        public bool TimeOut() => throw new UnreachableException("This call has no time limit.");

        public OperationCanceledException Cancel(CancellationToken token) => new(token);

        public void End()
        {
        }
    }
}
