using System.Globalization;
using Spate.Trains;

namespace Spate.Tests.Trains;

/// <summary>Where a datagram lies, and who gets it.</summary>
internal readonly record struct PlannedDatagram(
    UdpEndPoint Peer, int ControlIndex, int BufferIndex, int OffsetBytes, int LengthBytes);

/// <summary>Takes a plan apart the way the kernel cuts a train: by its stride over the bytes of its slices.</summary>
internal static class PlannedTrains
{
    /// <summary>The datagrams of each train. Throws where a train contradicts itself or the limits.</summary>
    public static List<List<PlannedDatagram>> Flatten(TrainPlan plan, TrainLimits limits)
    {
        var trains = new List<List<PlannedDatagram>>(plan.Trains.Length);
        int sliceCount = 0;
        foreach (ref readonly Train train in plan.Trains)
        {
            Require(train.SegmentCount >= 1, "a train has datagrams");
            Require(train.SegmentCount == 1 || train.SegmentCount <= limits.MaxSegmentCount, "MaxSegmentCount");
            Require(train.SegmentCount == 1 || train.TotalBytes <= limits.MaxTotalBytes, "MaxTotalBytes");
            Require(train.SliceCount == 1 || train.SliceCount <= limits.MaxSliceCount, "MaxSliceCount");
            Require(train.SegmentCount == 1 || train.LastBytes > 0, "an empty datagram travels alone");
            Require(train.LastBytes <= train.SegmentBytes, "the last is not larger");
            Require(train.PeerBytes == train.Peer.NativeLength, "PeerBytes");
            Require(
                train.TotalBytes == ((train.SegmentCount - 1) * train.SegmentBytes) + train.LastBytes, "TotalBytes");
            trains.Add(Cut(in train, plan.Slices));
            sliceCount += train.SliceCount;
        }

        Require(sliceCount == plan.Slices.Length, "every slice belongs to one train");
        return trains;
    }

    /// <summary>"1: 0+100 100+50" for each train: the peer's port and each datagram's offset and length.</summary>
    public static string Describe(TrainPlan plan, TrainLimits limits) => string.Join(
        " | ",
        Flatten(plan, limits).Select(train => string.Create(
            CultureInfo.InvariantCulture,
            $"{train[0].Peer.Port}: {string.Join(' ', train.Select(d => $"{d.OffsetBytes}+{d.LengthBytes}"))}")));

    public static void Require(bool condition, string rule)
    {
        if (!condition) Assert.Fail($"Broken rule: {rule}.");
    }

    private static List<PlannedDatagram> Cut(in Train train, ReadOnlySpan<TrainSlice> slices)
    {
        var datagrams = new List<PlannedDatagram>(train.SegmentCount);
        int sliceIndex = train.FirstSlice;
        for (int i = 0; i < train.SliceCount; i++)
        {
            TrainSlice slice = slices[sliceIndex];
            int bufferIndex = Array.FindIndex(PlanCase.Buffers, buffer => ReferenceEquals(buffer, slice.Buffer));
            int strideBytes = Math.Max(train.SegmentBytes, 1);
            int doneBytes = 0;
            do
            {
                int lengthBytes = Math.Min(strideBytes, slice.LengthBytes - doneBytes);
                datagrams.Add(new(
                    train.Peer, train.ControlIndex, bufferIndex, slice.OffsetBytes + doneBytes, lengthBytes));
                Require(
                    lengthBytes == (datagrams.Count == train.SegmentCount ? train.LastBytes : train.SegmentBytes),
                    "slices hold whole datagrams");
                doneBytes += lengthBytes;
            }
            while (doneBytes < slice.LengthBytes);

            bool isLast = i == train.SliceCount - 1;
            Require(isLast == (sliceIndex == train.LastSlice) && isLast == (slice.Next == TrainPlan.None), "links");
            Require(
                isLast
                || slices[slice.Next].Buffer != slice.Buffer
                || slices[slice.Next].OffsetBytes != slice.OffsetBytes + slice.LengthBytes,
                "bytes side by side are one slice");
            sliceIndex = slice.Next;
        }

        Require(datagrams.Count == train.SegmentCount, "SegmentCount");
        return datagrams;
    }
}
