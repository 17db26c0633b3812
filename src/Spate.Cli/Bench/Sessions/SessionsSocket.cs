using System.Runtime.CompilerServices;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.Targets;
using Spate.Serving;

namespace Spate.Cli.Bench.Sessions;

/// <summary>A socket that is filled and then drained with lookups. Tests have one without sockets.</summary>
internal interface ISessionsPair : IDisposable
{
    int SizeBytes { get; }

    int DatagramCount { get; }

    int BufferGrantedBytes { get; }

    long GsoFallbacks { get; }

    /// <summary>Returns the number of datagrams that the system accepted.</summary>
    int Fill(int count);

    /// <summary>Receives until so many have come or the queue is empty; returns how many came.</summary>
    int Drain(int count);

    /// <summary>
    /// Counts each datagram in the session of its peer; each peer has 2 to the power of <paramref name="runShift"/> in
    /// succession. Returns how many sessions were found.
    /// </summary>
    int Drain(SessionTable<BenchSession> table, UdpEndPoint[] sequence, int runShift);
}

/// <summary>Two sockets: one fills the other, which is then drained with a lookup for every datagram.</summary>
internal sealed class SessionsSocket : ISessionsPair
{
    // A batch that is not coalesced has 64 slots, and so at most 64 peers.
    private const int PrefetchPeerCount = 64;

    private readonly SpateBatchReceiver _receiver;
    private readonly BenchSender _sender;
    private long _checksum;

    public SessionsSocket(SpateRow row, int sizeBytes, int wantedCount)
    {
        SizeBytes = sizeBytes;
        (BenchReceiver receiver, _sender) = DrainBench.OpenEnds(new SpateTarget(row), sizeBytes);
        _receiver = (SpateBatchReceiver)receiver;
        DatagramCount = DrainBench.CountThatFits(wantedCount, sizeBytes, BufferGrantedBytes);
    }

    public int SizeBytes { get; }

    public int DatagramCount { get; }

    public int BufferGrantedBytes => _receiver.BufferGrantedBytes;

    public long GsoFallbacks => _sender.GsoFallbacks;

    public int Fill(int count) => _sender.Send(count);

    public int Drain(int count) => _receiver.Drain(count);

    public int Drain(SessionTable<BenchSession> table, UdpEndPoint[] sequence, int runShift)
    {
        int drained = 0;
        int found = 0;
        while (drained < DatagramCount && _receiver.TryReceive())
        {
            found += Visit(table, sequence, runShift, drained);
            drained += _receiver.Batch.Count;
            _ = table.RemoveExpired();
        }
        return found;
    }

    // This is a separate method so that the warm-up calls it often enough to have it optimised.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int Visit(SessionTable<BenchSession> table, UdpEndPoint[] sequence, int runShift, int index)
    {
        int found = 0;
        long checksum = 0;
        int prefetchEnd = index;
        int batchEnd = index + _receiver.Batch.Count;
        foreach (Datagram datagram in _receiver.Batch)
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
        _checksum += checksum;
        return found;
    }

    public void Dispose()
    {
        // So that the compiler cannot leave out reading the datagrams.
        GC.KeepAlive(_checksum);
        _receiver.Dispose();
        _sender.Dispose();
    }
}
