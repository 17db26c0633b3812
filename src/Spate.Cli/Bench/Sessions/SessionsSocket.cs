using System.Runtime.CompilerServices;
using Spate.Cli.Bench.Batched;
using Spate.Cli.Bench.Drain;
using Spate.Serving;

namespace Spate.Cli.Bench.Sessions;

/// <summary>Two sockets: one fills the other, which is then drained with a lookup for every datagram.</summary>
internal sealed class SessionsSocket : SpateDrainPair, ISessionsPair
{
    // As in the drain bench: a long queue takes a time long enough to measure.
    private const int BufferBytes = 256 * 1024 * 1024;

    // A batch that is not coalesced has 64 slots, and so at most 64 peers.
    private const int PrefetchPeerCount = 64;

    public SessionsSocket(SpateRow row, int sizeBytes, int wantedCount)
        : base(row, sizeBytes, BufferBytes)
    {
        DatagramCount = DrainEngine.CountThatFits(wantedCount, sizeBytes, BufferGrantedBytes);
    }

    public int DatagramCount { get; }

    public int Drain(SessionTable<BenchSession> table, UdpEndPoint[] sequence, int runShift)
    {
        int drained = 0;
        int found = 0;
        while (drained < DatagramCount && TryReceive())
        {
            found += Visit(table, sequence, runShift, drained);
            drained += Incoming.Count;
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
        int batchEnd = index + Incoming.Count;
        foreach (Datagram datagram in Incoming)
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
