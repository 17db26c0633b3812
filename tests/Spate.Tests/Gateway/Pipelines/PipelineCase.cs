using Spate.Gateway;
using Spate.Gateway.Format;
using Spate.Gateway.Pipelines;

namespace Spate.Tests.Gateway.Pipelines;

/// <summary>A pipeline without sockets: what a shard's thread does with it, in small.</summary>
internal static class PipelineCase
{
    public const int PackBytes = 4096;

    private static readonly UdpEndPoint Peer = UdpEndPoint.Loopback(4711);

    public static PipelinePlan Plan(
        TimeProvider time,
        int partitionCount = 1,
        int window = 4,
        int packCount = 8,
        GatewayFullMode fullMode = GatewayFullMode.DropArriving)
    {
        PackClock clock = new(time);
        return new PipelinePlan
        {
            Id = "test",
            Epoch = clock.Now,
            PartitionCount = partitionCount,
            ConfirmWindowCapacity = window,
            PackBytes = PackBytes,
            PackCount = packCount,
            FullMode = fullMode,
            StalledAfter = TimeSpan.FromSeconds(5),
            Clock = clock,
            Time = time,
        };
    }

    /// <summary>One datagram: into the open pack, or into a new one, or dropped.</summary>
    public static void Accept(ShardPipeline pipeline, PackSlot slot, int payloadBytes = 100)
    {
        if (slot.Open is not null && TryAdd(slot, payloadBytes)) return;
        Submit(pipeline, slot);
        slot.Open ??= pipeline.TakeBuffer(slot.Partition);
        if (slot.Open is not { } pack)
        {
            if (slot.TryDrop(GatewayDropReason.WindowFull)) return;
            pipeline.Fold(slot);
            Assert.True(slot.TryDrop(GatewayDropReason.WindowFull));
            return;
        }

        pack.Partition = slot.Partition;
        pack.FirstSequence = slot.Next;
        pack.FirstTime = 1;
        pack.LastTime = 1;
        pack.UsedBytes = pipeline.Writer.PrefixBytes;
        Assert.True(TryAdd(slot, payloadBytes));
    }

    public static void Submit(ShardPipeline pipeline, PackSlot slot)
    {
        if (slot.OpenCount == 0) return;
        pipeline.Writer.WritePrefix(slot.Open!);
        pipeline.Submit(slot);
    }

    /// <summary>A pack with a number of datagrams.</summary>
    public static void SubmitPack(ShardPipeline pipeline, PackSlot slot, int count)
    {
        for (int i = 0; i < count; i++) Accept(pipeline, slot);
        Submit(pipeline, slot);
    }

    private static bool TryAdd(PackSlot slot, int payloadBytes)
    {
        PackBuffer open = slot.Open!;
        int recordBytes = RecordWriter.TryWrite(
            open.Bytes.AsSpan(open.UsedBytes), Peer, default, 0, 0, new byte[payloadBytes], isTruncated: false);
        if (recordBytes == 0) return false;
        open.UsedBytes += recordBytes;
        open.Count++;
        slot.Next++;
        return true;
    }
}
