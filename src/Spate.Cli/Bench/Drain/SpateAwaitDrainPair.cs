using System.Buffers.Binary;
using Spate.Cli.Bench.Baselines;
using Spate.Cli.Bench.Batched;

namespace Spate.Cli.Bench.Drain;

/// <summary>One await per datagram. A datagram is always queued, so every call completes at once.</summary>
internal sealed class SpateAwaitDrainPair : DrainPair
{
    private readonly UdpSocket _receiver;
    private readonly UdpSocket _sender;
    private readonly UdpEndPoint _peer;
    private readonly Memory<byte> _payload;
    private readonly Memory<byte> _buffer = BaselineSocket.NewReceiveBuffer();
    private ulong _sequence;

    public SpateAwaitDrainPair(SpateRow row, int sizeBytes, int bufferBytes)
    {
        _receiver = row.Open(bufferBytes);
        _sender = row.Open(BenchOptions.DefaultBufferBytes);
        _peer = _receiver.LocalEndPoint;
        _payload = GC.AllocateArray<byte>(sizeBytes, pinned: true);
    }

    public override int BufferGrantedBytes => _receiver.ReceiveBufferBytes;

    public override int Fill(int count) => FillAsync(count).AsTask().GetAwaiter().GetResult();

    public override int Drain(int count) => DrainAsync(count).AsTask().GetAwaiter().GetResult();

    protected override void Close()
    {
        _receiver.Dispose();
        _sender.Dispose();
    }

    private async ValueTask<int> FillAsync(int count)
    {
        int sent = 0;
        for (int i = 0; i < count; i++)
        {
            BinaryPrimitives.WriteUInt64LittleEndian(_payload.Span, _sequence++);
            SendResult result = await _sender.SendToAsync(_payload, _peer).ConfigureAwait(false);
            sent += result.Sent;
        }
        return sent;
    }

    private async ValueTask<int> DrainAsync(int count)
    {
        using var giveUp = new CancellationTokenSource();
        int drained = 0;
        while (drained < count)
        {
            ValueTask<ReceivedDatagram> receiving = _receiver.ReceiveFromAsync(_buffer, giveUp.Token);
            if (!receiving.IsCompleted)
            {
                // The queue held fewer datagrams than were sent. The caller compares the counts.
                await giveUp.CancelAsync().ConfigureAwait(false);
            }
            try
            {
                ReceivedDatagram datagram = await receiving.ConfigureAwait(false);
                Checksum += BaselineSocket.Visit(datagram.Peer.Port, _buffer.Span[..datagram.Length]);
                drained++;
            }
            catch (OperationCanceledException)
            {
                break;
            }
        }
        return drained;
    }
}
