using System.Runtime.CompilerServices;
using Spate.Measurement.Bench.Batched;
using Spate.Measurement.Bench.Drain;
using Spate.Serving;

namespace Spate.Measurement.Bench.Sessions;

/// <summary>Two sockets of one size: fill one, then drain it with a lookup for every datagram.</summary>
internal sealed class SessionsSocket : SpateDrainPair
{
    // As the drain bench: one long queue gives one long time to measure.
    private const int BufferBytes = 256 * 1024 * 1024;

    // Peers of a batch that is not coalesced: it has 64 slots.
    private const int PrefetchPeerCount = 64;

    public SessionsSocket(SpateRow row, int sizeBytes, int wantedCount)
        : base(row, sizeBytes, BufferBytes)
    {
        DatagramCount = DrainEngine.CountThatFits(wantedCount, sizeBytes, BufferGrantedBytes);
    }

    public int DatagramCount { get; }

    /// <summary>Visits what is queued, finds the session of each datagram's stand-in peer, and counts there.</summary>
    /// <param name="table">Holds all peers of the sequence.</param>
    /// <param name="sequence">The peers in order.</param>
    /// <param name="runShift">A peer has this power of two of datagrams in a row.</param>
    /// <returns>Datagrams that came and whose peer was found.</returns>
    public int Drain(SessionTable<BenchSession> table, UdpEndPoint[] sequence, int runShift)
    {
        int drained = 0;
        int found = 0;
        while (drained < DatagramCount && TryReceive())
        {
            found += Visit(table, sequence, runShift, drained);
            drained += Incoming.Count;
            _ = table.Age();
        }
        return found;
    }

    // A method of its own, so that it is compiled with optimisation after the batches of the warm-up.
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
