using Spate.Segmentation;

namespace Spate.Tests.Segmentation;

/// <summary>The planner's rules one datagram at a time, written for clearness and not for speed.</summary>
internal static class ReferencePlanner
{
    public static void Plan(
        IEnumerable<PlannedDatagram> datagrams, GsoLimits limits, List<List<PlannedDatagram>> messages)
    {
        var newest = new Dictionary<UdpEndPoint, List<PlannedDatagram>>();
        bool named = false;
        foreach (PlannedDatagram datagram in datagrams)
        {
            // The default peer may be any of the named ones, so all GSO messages are closed where the two meet.
            if (datagram.Peer.IsDefault == named) newest.Clear();
            named = !datagram.Peer.IsDefault;
            if (!newest.TryGetValue(datagram.Peer, out List<PlannedDatagram>? message)
                || !Takes(message, datagram, limits))
            {
                message = [];
                messages.Add(message);
                newest[datagram.Peer] = message;
            }

            message.Add(datagram);
        }
    }

    private static bool Takes(List<PlannedDatagram> message, PlannedDatagram next, GsoLimits limits)
    {
        int segmentBytes = message[0].LengthBytes;
        int sliceCount = 1;
        for (int i = 1; i < message.Count; i++)
        {
            sliceCount += Adjoin(message[i - 1], message[i]) ? 0 : 1;
        }

        return next.ControlIndex == message[0].ControlIndex
            && next.LengthBytes > 0
            && next.LengthBytes <= segmentBytes
            && message[^1].LengthBytes == segmentBytes
            && message.Count < limits.MaxSegmentCount
            && message.Sum(datagram => datagram.LengthBytes) + next.LengthBytes <= limits.MaxTotalBytes
            && (Adjoin(message[^1], next) || sliceCount < limits.MaxIovecCount);
    }

    private static bool Adjoin(PlannedDatagram first, PlannedDatagram second) =>
        first.BufferIndex == second.BufferIndex && first.OffsetBytes + first.LengthBytes == second.OffsetBytes;
}
