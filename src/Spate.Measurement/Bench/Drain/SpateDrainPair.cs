using Spate.Measurement.Bench.Batched;

namespace Spate.Measurement.Bench.Drain;

/// <summary>Batches of one backend and offload combination.</summary>
internal sealed class SpateDrainPair : DrainPair
{
    private readonly int _sizeBytes;
    private readonly UdpSocket _receiver;
    private readonly UdpSocket _sender;
    private readonly UdpEndPoint _peer;
    private readonly ReceiveBatch _incoming;
    private readonly SendBatch _outgoing;
    private ulong _sequence;

    public SpateDrainPair(SpateRow row, int sizeBytes, int bufferBytes)
    {
        _sizeBytes = sizeBytes;
        _receiver = row.Open(bufferBytes);
        _sender = row.Open(BenchOptions.DefaultBufferBytes);
        _peer = _receiver.LocalEndPoint;
        _incoming = SpateRow.CreateReceiveBatch(_receiver, sizeBytes);
        _outgoing = _sender.CreateSendBatch();
    }

    public override int BufferGrantedBytes => _receiver.GetCounters().ReceiveBufferGrantedBytes;

    public override long Demotions => _sender.GetCounters().Demotions;

    public override int Fill(int count)
    {
        int sent = 0;
        int tried = 0;
        while (tried < count)
        {
            SpateRow.Fill(_outgoing, _peer, _sizeBytes, count - tried, ref _sequence);
            tried += _outgoing.Count;
            sent += _sender.Send(_outgoing).Sent;
        }
        return sent;
    }

    public override int Drain(int count)
    {
        int drained = 0;
        while (drained < count && _receiver.TryReceive(_incoming) == ReceiveStatus.Received)
        {
            BatchVisit visit = SpateRow.Visit(_incoming);
            Checksum += visit.Checksum;
            drained += (int)visit.Datagrams;
        }
        return drained;
    }

    protected override void Close()
    {
        _receiver.Dispose();
        _sender.Dispose();
        _incoming.Dispose();
        _outgoing.Dispose();
    }
}
