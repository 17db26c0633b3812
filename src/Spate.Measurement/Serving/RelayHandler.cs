using Spate.Measurement.Accounting;
using Spate.Serving;

namespace Spate.Measurement.Serving;

/// <summary>
/// Forwards to every destination. One destination after another, so that datagrams that arrived as a train lie side by
/// side and leave as one.
/// </summary>
internal sealed class RelayHandler(
    UdpShard shard, int workRounds, ServeLimit limit, TimeProvider time, UdpEndPoint[] destinations)
    : AppHandler(shard, workRounds, limit, time)
{
    // Datagrams come in runs of one peer, so whether it is a destination is asked once a run.
    private UdpEndPoint _lastPeer;
    private bool _isLastADestination;

    protected override int Handle(ReceiveBatch batch, SendBatch replies)
    {
        foreach (Datagram datagram in batch)
        {
            Visit(datagram.Payload);
            if (IsDestination(datagram.Peer)) Tally.CountUnanswered();
            else if (IsAnnouncement(datagram.Payload)) Tally.CountAnnouncement();
        }

        foreach (ref readonly UdpEndPoint destination in destinations.AsSpan())
        {
            foreach (Datagram datagram in batch)
            {
                // A destination that answers would otherwise be sent its own answers, for ever.
                if (!IsDestination(datagram.Peer)) Forward(datagram, destination, replies);
            }
        }

        return batch.Count;
    }

    private static bool IsAnnouncement(ReadOnlySpan<byte> payload) =>
        TestDatagram.TryRead(payload, out TestDatagram datagram) && datagram.Kind != TestDatagramKind.Data;

    private bool IsDestination(in UdpEndPoint peer)
    {
        if (_lastPeer == peer) return _isLastADestination;
        _lastPeer = peer;
        _isLastADestination = false;
        foreach (ref readonly UdpEndPoint destination in destinations.AsSpan())
        {
            _isLastADestination |= destination == peer;
        }

        return _isLastADestination;
    }
}
