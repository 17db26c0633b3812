using Spate.Cli.Bench.Batched;

namespace Spate.Cli.Bench.Drain;

/// <summary>Batches of one backend, with or without GSO messages.</summary>
internal class SpateDrainPair : DrainPair
{
    private readonly UdpSocket _receiver;
    private readonly UdpSocket _sender;
    private readonly UdpEndPoint _peer;
    private readonly SendBatch _outgoing;
    private ulong _sequence;

    public SpateDrainPair(SpateRow row, int sizeBytes, int bufferBytes)
    {
        SizeBytes = sizeBytes;
        _receiver = row.Open(bufferBytes);
        _sender = row.Open(BenchOptions.DefaultBufferBytes);
        _peer = _receiver.LocalEndPoint;
        Incoming = _receiver.CreateReceiveBatch();
        _outgoing = _sender.CreateSendBatch();
    }

    public int SizeBytes { get; }

    public override int BufferGrantedBytes => _receiver.ReceiveBufferBytes;

    public override long GsoFallbacks => _sender.GetCounters().GsoFallbacks;

    public override int Fill(int count)
    {
        int sent = 0;
        int tried = 0;
        while (tried < count)
        {
            SpateRow.Fill(_outgoing, _peer, SizeBytes, count - tried, ref _sequence);
            tried += _outgoing.Count;
            sent += _sender.Send(_outgoing).Sent;
        }
        return sent;
    }

    public override int Drain(int count)
    {
        int drained = 0;
        while (drained < count && TryReceive())
        {
            BatchVisit visit = SpateRow.Visit(Incoming);
            Checksum += visit.Checksum;
            drained += (int)visit.Datagrams;
        }
        return drained;
    }

    protected ReceiveBatch Incoming { get; }

    /// <summary>Returns false if nothing is queued.</summary>
    protected bool TryReceive() => _receiver.TryReceive(Incoming) == ReceiveStatus.Received;

    protected override void Close()
    {
        _receiver.Dispose();
        _sender.Dispose();
        Incoming.Dispose();
        _outgoing.Dispose();
    }
}
