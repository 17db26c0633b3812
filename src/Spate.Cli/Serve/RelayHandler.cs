using Spate.Cli.Traffic;
using Spate.HostTuning.Reading.Interfaces;
using Spate.Measurement.Counting;
using Spate.Serving;

namespace Spate.Cli.Serve;

/// <summary>
/// Forwards every datagram to every destination. It serves one destination after another, so that datagrams that
/// arrived in one coalesced buffer lie side by side and leave as a GSO message.
/// </summary>
internal sealed class RelayHandler(
    UdpShard shard, ServeOptions options, ServeLimit limit, TimeProvider time)
    : AppHandler(shard, options, limit, time)
{
    private readonly UdpEndPoint[] _destinations = [.. options.Destinations];

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

        foreach (ref readonly UdpEndPoint destination in _destinations.AsSpan())
        {
            foreach (Datagram datagram in batch)
            {
                // Otherwise a destination that answers would get its own answers back, without end.
                if (!IsDestination(datagram.Peer)) Shard.Forward(datagram, destination, default, replies);
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
        foreach (ref readonly UdpEndPoint destination in _destinations.AsSpan())
        {
            _isLastPeerDestination |= destination == peer;
        }

        return _isLastPeerDestination;
    }
}

/// <summary>
/// Finds destinations at which a relay itself listens: datagrams sent there would come back without end. A loop through
/// other relays cannot be detected here.
/// </summary>
internal static class RelayLoop
{
    /// <summary>The first destination at which the relay listens; null for none.</summary>
    /// <param name="locals">With port 0, which the system has yet to choose, an end point matches nothing.</param>
    public static UdpEndPoint? Find(IReadOnlyList<UdpEndPoint> locals, IReadOnlyList<UdpEndPoint> destinations)
    {
        foreach (UdpEndPoint destination in destinations)
        {
            if (locals.Any(local => IsReached(local, destination))) return destination;
        }

        return null;
    }

    private static bool IsReached(UdpEndPoint local, UdpEndPoint destination)
    {
        if (local.Port == 0 || local.Port != destination.Port) return false;

        // A socket at [::] takes IPv4 too. A datagram to an unspecified address goes to the sender's own address or to
        // the loopback (Linux ip_route_output_key_hash, ip6_datagram_connect).
        bool takesFamily = local.IsIPv6 == destination.IsIPv6 || (local.IsIPv6 && local.Address.IsUnspecified);
        if (!takesFamily) return false;
        if (destination.Address.IsUnspecified) return true;
        return local.Address.IsUnspecified
            ? LocalAddresses.Contains(destination.Address.ToIPAddress())
            : local == destination;
    }
}
