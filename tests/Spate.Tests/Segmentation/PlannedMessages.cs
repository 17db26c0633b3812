using System.Globalization;
using Spate.Segmentation;

namespace Spate.Tests.Segmentation;

/// <summary>Where a datagram lies, and who gets it.</summary>
internal readonly record struct PlannedDatagram(
    UdpEndPoint Peer, int ControlIndex, int BufferIndex, int OffsetBytes, int LengthBytes);

/// <summary>
/// Takes a plan apart the way the kernel cuts a GSO message: by its stride over the bytes of its iovecs.
/// </summary>
internal static class PlannedMessages
{
    /// <summary>
    /// The datagrams of each GSO message. Throws where a GSO message contradicts itself or the limits.
    /// </summary>
    public static List<List<PlannedDatagram>> Flatten(SendPlan plan, GsoLimits limits)
    {
        var messages = new List<List<PlannedDatagram>>(plan.Messages.Length);
        int sliceCount = 0;
        foreach (ref readonly GsoMessage message in plan.Messages)
        {
            Require(message.SegmentCount >= 1, "a GSO message has datagrams");
            Require(message.SegmentCount == 1 || message.SegmentCount <= limits.MaxSegmentCount, "MaxSegmentCount");
            Require(message.SegmentCount == 1 || message.TotalBytes <= limits.MaxTotalBytes, "MaxTotalBytes");
            Require(message.IovecCount == 1 || message.IovecCount <= limits.MaxIovecCount, "MaxIovecCount");
            Require(message.SegmentCount == 1 || message.LastBytes > 0, "an empty datagram travels alone");
            Require(message.LastBytes <= message.SegmentBytes, "the last is not larger");
            Require(message.PeerBytes == message.Peer.NativeLength, "PeerBytes");
            int fullBytes = (message.SegmentCount - 1) * message.SegmentBytes;
            Require(message.TotalBytes == fullBytes + message.LastBytes, "TotalBytes");
            messages.Add(Cut(in message, plan.Iovecs));
            sliceCount += message.IovecCount;
        }

        Require(sliceCount == plan.Iovecs.Length, "every iovec belongs to one GSO message");
        return messages;
    }

    /// <summary>
    /// "1: 0+100 100+50" for each GSO message: the peer's port and each datagram's offset and length.
    /// </summary>
    public static string Describe(SendPlan plan, GsoLimits limits) => string.Join(
        " | ",
        Flatten(plan, limits).Select(message => string.Create(
            CultureInfo.InvariantCulture,
            $"{message[0].Peer.Port}: "
                + $"{string.Join(' ', message.Select(d => $"{d.OffsetBytes}+{d.LengthBytes}"))}")));

    public static void Require(bool condition, string rule)
    {
        if (!condition) Assert.Fail($"Broken rule: {rule}.");
    }

    private static List<PlannedDatagram> Cut(in GsoMessage message, ReadOnlySpan<GsoIovec> iovecs)
    {
        var datagrams = new List<PlannedDatagram>(message.SegmentCount);
        int iovecIndex = message.FirstIovec;
        for (int i = 0; i < message.IovecCount; i++)
        {
            GsoIovec iovec = iovecs[iovecIndex];
            int bufferIndex = Array.FindIndex(PlanCase.Buffers, buffer => ReferenceEquals(buffer, iovec.Buffer));
            int strideBytes = Math.Max(message.SegmentBytes, 1);
            int doneBytes = 0;
            do
            {
                int lengthBytes = Math.Min(strideBytes, iovec.LengthBytes - doneBytes);
                datagrams.Add(new(
                    message.Peer, message.ControlIndex, bufferIndex, iovec.OffsetBytes + doneBytes, lengthBytes));
                Require(
                    lengthBytes == (datagrams.Count == message.SegmentCount ? message.LastBytes : message.SegmentBytes),
                    "iovecs hold whole datagrams");
                doneBytes += lengthBytes;
            }
            while (doneBytes < iovec.LengthBytes);

            bool isLast = i == message.IovecCount - 1;
            Require(isLast == (iovecIndex == message.LastIovec) && isLast == (iovec.Next == SendPlan.None), "links");
            Require(
                isLast
                || iovecs[iovec.Next].Buffer != iovec.Buffer
                || iovecs[iovec.Next].OffsetBytes != iovec.OffsetBytes + iovec.LengthBytes,
                "bytes side by side are one iovec");
            iovecIndex = iovec.Next;
        }

        Require(datagrams.Count == message.SegmentCount, "SegmentCount");
        return datagrams;
    }
}
