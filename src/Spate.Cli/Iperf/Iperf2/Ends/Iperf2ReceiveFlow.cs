using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf2.Ends;

/// <summary>Reads the server's socket, counts what came in its table, and answers from the same thread.</summary>
internal sealed class Iperf2ReceiveFlow(UdpSocket socket, Iperf2PeerTable table, TimeProvider time, Action onBatch)
    : ReceiveFlow(0, socket, new DatagramLimit(datagramCount: null), duration: null, time, ledger: null), IDisposable
{
    private readonly SendBatch _replies = socket.CreateSendBatch();

    public void Dispose() => _replies.Dispose();

    protected override BatchSum Account(ReceiveBatch batch, long arrivalNanoseconds)
    {
        var sum = new BatchSum();
        lock (table.Gate)
        {
            foreach (Datagram datagram in batch)
            {
                if (table.Take(datagram, arrivalNanoseconds, _replies)) sum.Add(datagram.Payload.Length);
            }
        }

        if (_replies.Count > 0)
        {
            // What does not leave at once is dropped: the client asks again.
            _ = Socket.Send(_replies, TimeSpan.Zero);
            _replies.Clear();
            onBatch();
        }

        return sum;
    }
}
