using System.Net.Sockets;
using Spate.Buffers;
using Spate.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>A sender that finds no room until it is opened. On loopback a send buffer never fills up.</summary>
internal sealed class BlockedSender(SocketContext context, Sender inner)
    : Sender(context, inner.Segments, inner.UsesHeaders)
{
    private volatile bool _isOpen;
    private int _tryCount;

    /// <summary>Calls that found no room.</summary>
    public int TryCount => Volatile.Read(ref _tryCount);

    public void Open() => _isOpen = true;

    /// <inheritdoc/>
    public override SendQueue CreateQueue(int capacity, int bufferBytes) => inner.CreateQueue(capacity, bufferBytes);

    /// <inheritdoc/>
    public override SendResult Send(SendQueue queue, int timeoutMilliseconds)
    {
        if (_isOpen) return inner.Send(queue, timeoutMilliseconds);
        queue.Plan.Begin();
        return NoRoom(queue.Plan.Count);
    }

    /// <inheritdoc/>
    public override SendResult SendOne(ReadOnlySpan<byte> payload, in UdpEndPoint peer, int timeoutMilliseconds) =>
        _isOpen ? inner.SendOne(payload, peer, timeoutMilliseconds) : NoRoom(1);

    // As a lack of buffers, which the waiting calls look at again a little later.
    private SendResult NoRoom(int count)
    {
        Interlocked.Increment(ref _tryCount);
        return new SendResult(0, 0, count, SocketError.Success, SendStatus.NoBuffers);
    }
}
