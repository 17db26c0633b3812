using Spate.Measurement.Counting;
using Spate.Serving;

namespace Spate.Cli.Serve;

/// <summary>
/// Forwards every datagram to every destination. It serves one destination after another, so that datagrams that
/// arrived in one coalesced buffer lie side by side and leave as a GSO message.
/// </summary>
internal sealed class RelayHandler(
    UdpShard shard, int workRounds, ServeLimit limit, TimeProvider time, UdpEndPoint[] destinations)
    : AppHandler(shard, workRounds, limit, time)
{
    // Consecutive datagrams often have the same peer, so the last answer is kept.
    private UdpEndPoint _lastPeer;
    private bool _isLastPeerDestination;

    protected override int Handle(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram datagram in batch)
        {
            Visit(datagram.Payload);
            if (IsDestination(datagram.Peer)) Counters.CountUnanswered();
            else if (IsAnnouncement(datagram.Payload)) Counters.CountAnnouncement();
        }

        foreach (ref readonly UdpEndPoint destination in destinations.AsSpan())
        {
            foreach (Datagram datagram in batch)
            {
                // Otherwise a destination that answers would get its own answers back, without end.
                if (!IsDestination(datagram.Peer)) Forward(datagram, destination, default, replies);
            }
        }

        return batch.Count;
    }

    private static bool IsAnnouncement(ReadOnlySpan<byte> payload) =>
        TestDatagram.TryRead(payload, out TestDatagram datagram) && datagram.Kind != TestDatagramKind.Data;

    private bool IsDestination(in UdpEndPoint peer)
    {
        if (_lastPeer == peer) return _isLastPeerDestination;
        _lastPeer = peer;
        _isLastPeerDestination = false;
        foreach (ref readonly UdpEndPoint destination in destinations.AsSpan())
        {
            _isLastPeerDestination |= destination == peer;
        }

        return _isLastPeerDestination;
    }
}
