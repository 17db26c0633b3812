using Spate.Serving;

namespace Spate.Tests.Serving;

/// <summary>A handler of parts; what is not given does nothing.</summary>
internal sealed class TestHandler : UdpHandler, IDisposable
{
    public Action<ReceiveBatch, SendBatch>? Datagrams { get; init; }

    public Action<TimeSpan, SendBatch>? Tick { get; init; }

    public Action<SendBatch>? Stop { get; init; }

    public Action? Disposed { get; init; }

    public override void OnDatagrams(ReceiveBatch batch, SendBatch replies) => Datagrams?.Invoke(batch, replies);

    public override void OnTick(TimeSpan elapsed, SendBatch replies) => Tick?.Invoke(elapsed, replies);

    public override void OnStop(SendBatch replies) => Stop?.Invoke(replies);

    public void Dispose() => Disposed?.Invoke();

    /// <summary>Answers every datagram with itself.</summary>
    public static TestHandler Echo(UdpShard shard) => new()
    {
        Datagrams = (batch, replies) =>
        {
            foreach (Datagram datagram in batch)
            {
                if (replies.TryForward(datagram, datagram.Peer)) continue;
                shard.Flush(replies);
                if (!replies.TryForward(datagram, datagram.Peer)) throw new InvalidOperationException("Not empty.");
            }
        },
    };
}
