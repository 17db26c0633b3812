using System.Runtime.CompilerServices;
using Spate.Measurement.Bench.Batched;
using Spate.Measurement.Bench.Drain;

namespace Spate.Measurement.Bench.Sessions;

/// <summary>Two sockets of one size: fill one, then drain it with a lookup for every datagram.</summary>
internal sealed class SessionsSocket : IDisposable
{
    // As the drain bench: one long queue gives one long time to measure.
    private const int BufferBytes = 256 * 1024 * 1024;

    // Peers of a batch that is not coalesced: it has 64 slots.
    private const int PrefetchPeerCount = 64;

    private readonly UdpSocket _receiver;
    private readonly UdpSocket _sender;
    private readonly UdpEndPoint _target;
    private readonly ReceiveBatch _incoming;
    private readonly SendBatch _outgoing;
    private ulong _sequence;

    public SessionsSocket(SpateRow row, int sizeBytes, int wantedCount)
    {
        SizeBytes = sizeBytes;
        _receiver = row.Open(BufferBytes);
        _sender = row.Open(BenchOptions.DefaultBufferBytes);
        _target = _receiver.LocalEndPoint;
        _incoming = SpateRow.CreateReceiveBatch(_receiver, sizeBytes);
        _outgoing = _sender.CreateSendBatch();
        BufferGrantedBytes = _receiver.GetCounters().ReceiveBufferGrantedBytes;
        DatagramCount = DrainEngine.CountThatFits(wantedCount, sizeBytes, BufferGrantedBytes);
    }

    public int SizeBytes { get; }

    public int DatagramCount { get; }

    public int BufferGrantedBytes { get; }

    public long Demotions => _sender.GetCounters().Demotions;

    /// <summary>Sum over peers and first bytes; kept so that the reading cannot be optimised away.</summary>
    public long Checksum { get; private set; }

    /// <summary>Fills the queue.</summary>
    /// <returns>Datagrams that the system accepted.</returns>
    public int Fill()
    {
        int sent = 0;
        int tried = 0;
        while (tried < DatagramCount)
        {
            SpateRow.Fill(_outgoing, _target, SizeBytes, DatagramCount - tried, ref _sequence);
            tried += _outgoing.Count;
            sent += _sender.Send(_outgoing).Sent;
        }
        return sent;
    }

    /// <summary>Visits what is queued, without a table.</summary>
    /// <returns>Datagrams that came.</returns>
    public int Drain()
    {
        long drained = 0;
        while (drained < DatagramCount && _receiver.TryReceive(_incoming) == ReceiveStatus.Received)
        {
            BatchVisit visit = SpateRow.Visit(_incoming);
            Checksum += visit.Checksum;
            drained += visit.Datagrams;
        }
        return (int)drained;
    }

    /// <summary>Visits what is queued, finds the session of each datagram's stand-in peer, and counts there.</summary>
    /// <param name="table">Holds all peers of the sequence.</param>
    /// <param name="sequence">The peers in order.</param>
    /// <param name="runShift">A peer has this power of two of datagrams in a row.</param>
    /// <returns>Datagrams that came and whose peer was found.</returns>
    public int Drain(SessionTable<BenchSession> table, UdpEndPoint[] sequence, int runShift)
    {
        int drained = 0;
        int found = 0;
        while (drained < DatagramCount && _receiver.TryReceive(_incoming) == ReceiveStatus.Received)
        {
            found += Visit(table, sequence, runShift, drained);
            drained += _incoming.Count;
            _ = table.Age();
        }
        return found;
    }

    public void Dispose()
    {
        _receiver.Dispose();
        _sender.Dispose();
        _incoming.Dispose();
        _outgoing.Dispose();
    }

    // A method of its own, so that it is compiled with optimisation after the batches of the warm-up.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int Visit(SessionTable<BenchSession> table, UdpEndPoint[] sequence, int runShift, int index)
    {
        int found = 0;
        long checksum = 0;
        int prefetchEnd = index;
        int batchEnd = index + _incoming.Count;
        foreach (Datagram datagram in _incoming)
        {
            if (index == prefetchEnd)
            {
                prefetchEnd = Math.Min(batchEnd, index + (PrefetchPeerCount << runShift));
                int first = index >> runShift;
                table.Prefetch(sequence.AsSpan(first, ((prefetchEnd - 1) >> runShift) + 1 - first));
            }
            ReadOnlySpan<byte> payload = datagram.Payload;
            if (table.TryGet(in sequence[index++ >> runShift], out SessionRef<BenchSession> session))
            {
                session.Value.Datagrams++;
                session.Value.Bytes += payload.Length;
                found++;
            }
            checksum += datagram.Peer.Port + (payload.IsEmpty ? 0 : payload[0]);
        }
        Checksum += checksum;
        return found;
    }
}
