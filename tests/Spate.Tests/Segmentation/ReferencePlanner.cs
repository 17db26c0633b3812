using Spate.Trains;

namespace Spate.Tests.Trains;

/// <summary>The planner's rules one datagram at a time, written for clearness and not for speed.</summary>
internal static class ReferencePlanner
{
    public static void Plan(
        IEnumerable<PlannedDatagram> datagrams, TrainLimits limits, List<List<PlannedDatagram>> trains)
    {
        var newest = new Dictionary<UdpEndPoint, List<PlannedDatagram>>();
        bool named = false;
        foreach (PlannedDatagram datagram in datagrams)
        {
            // The default peer may be any of the named ones, so all trains are closed where the two meet.
            if (datagram.Peer.IsDefault == named) newest.Clear();
            named = !datagram.Peer.IsDefault;
            if (!newest.TryGetValue(datagram.Peer, out List<PlannedDatagram>? train)
                || !Takes(train, datagram, limits))
            {
                train = [];
                trains.Add(train);
                newest[datagram.Peer] = train;
            }

            train.Add(datagram);
        }
    }

    private static bool Takes(List<PlannedDatagram> train, PlannedDatagram next, TrainLimits limits)
    {
        int segmentBytes = train[0].LengthBytes;
        int sliceCount = 1;
        for (int i = 1; i < train.Count; i++)
        {
            sliceCount += Adjoin(train[i - 1], train[i]) ? 0 : 1;
        }

        return next.ControlIndex == train[0].ControlIndex
            && next.LengthBytes > 0
            && next.LengthBytes <= segmentBytes
            && train[^1].LengthBytes == segmentBytes
            && train.Count < limits.MaxSegmentCount
            && train.Sum(datagram => datagram.LengthBytes) + next.LengthBytes <= limits.MaxTotalBytes
            && (Adjoin(train[^1], next) || sliceCount < limits.MaxSliceCount);
    }

    private static bool Adjoin(PlannedDatagram first, PlannedDatagram second) =>
        first.BufferIndex == second.BufferIndex && first.OffsetBytes + first.LengthBytes == second.OffsetBytes;
}
