using System.Net;
using System.Net.Sockets;

namespace Spate.Backends.Readiness;

/// <summary>
/// Readiness on operating systems where System.Net.Sockets is the only way: an asynchronous receive of one byte that looks at the
/// next datagram without taking it. A longer datagram is reported as truncated or as MessageSize, both of which mean that it is there.
/// Sends that find the buffer full wait on a pool thread; that is rare, since UDP sends seldom do.
/// </summary>
internal sealed class PeekReadiness(Socket socket, Action<ReadyEvents> ready) : SocketReadiness
{
    private const int SendWaitMicroseconds = 100_000;

    private readonly byte[] _peeked = GC.AllocateArray<byte>(1, pinned: true);
    private readonly CancellationTokenSource _stop = new();
    private readonly SocketAddress _address = new(socket.AddressFamily);
    private int _reading;
    private int _writing;

    /// <inheritdoc/>
    public override void Request(ReadyEvents events)
    {
        if (events.HasFlag(ReadyEvents.Readable) && Interlocked.Exchange(ref _reading, 1) == 0) _ = PeekAsync();
        if (events.HasFlag(ReadyEvents.Writable) && Interlocked.Exchange(ref _writing, 1) == 0)
            ThreadPool.UnsafeQueueUserWorkItem(static self => self.WaitWritable(), this, preferLocal: false);
    }

    /// <inheritdoc/>
    public override void RequestLater(ReadyEvents events) => Request(events);

    /// <inheritdoc/>
    public override void Dispose() => _stop.Cancel();

    private async Task PeekAsync()
    {
        try
        {
            await socket.ReceiveFromAsync(_peeked, SocketFlags.Peek, _address, _stop.Token).ConfigureAwait(false);
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException or OperationCanceledException)
        {
            // MessageSize: a datagram is there. Anything else: the receive that follows meets the same fault and reports it.
        }

        Volatile.Write(ref _reading, 0);
        if (!_stop.IsCancellationRequested) ready(ReadyEvents.Readable);
    }

    private void WaitWritable()
    {
        try
        {
            socket.Poll(SendWaitMicroseconds, SelectMode.SelectWrite);
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            // The send that follows meets the same fault and reports it.
        }

        Volatile.Write(ref _writing, 0);
        if (!_stop.IsCancellationRequested) ready(ReadyEvents.Writable);
    }
}
