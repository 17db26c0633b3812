using Spate.Buffers;
using Spate.Sockets.Mmsg;

namespace Spate.Tests.Buffers;

/// <summary>The memory of batches with default options, on sockets that do not coalesce.</summary>
public sealed class BatchMemoryTests
{
    private const int BatchCount = 100;

    // 64 slots of 2 KiB with their headers.
    private const int MaxBatchBytes = 200 * 1024;
    private const int GrownSlotBytes = 64 * 1024;

    public static TheoryData<UdpBackend> Backends => [UdpBackend.Portable, UdpBackend.Mmsg, UdpBackend.Uring];

    [Theory, MemberData(nameof(Backends))]
    public void CreateReceiveBatch_ManyOfThem_EachBeginsSmall(UdpBackend backend)
    {
        using UdpSocket socket = Open(backend);
        var batches = new ReceiveBatch[BatchCount];

        long bytes = AllocatedBy(() =>
        {
            for (int i = 0; i < BatchCount; i++) batches[i] = socket.CreateReceiveBatch();
        });

        Assert.InRange(bytes, 1, (long)BatchCount * MaxBatchBytes);
        Assert.All(batches, batch => Assert.Equal((64, 65_535), (batch.SlotCount, batch.SlotBytes)));
    }

    [Theory]
    [InlineData(UdpBackend.Portable)]
    [InlineData(UdpBackend.Mmsg)]
    public void Receive_LongDatagrams_OnlyTheirSlotsGrowAndOnce(UdpBackend backend)
    {
        const int longCount = 3;
        byte[] payload = new byte[65_507];
        using UdpSocket socket = Open(backend);
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        Exchange(lengthBytes: 100, count: 10);

        Assert.InRange(AllocatedBy(() => Exchange(lengthBytes: 2048, count: 10)), 0, GrownSlotBytes - 1);
        Assert.InRange(
            AllocatedBy(() => Exchange(lengthBytes: 9000, longCount)),
            longCount * GrownSlotBytes,
            (longCount + 1) * GrownSlotBytes);
        Assert.InRange(AllocatedBy(() => Exchange(lengthBytes: 65_507, longCount)), 0, GrownSlotBytes - 1);

        void Exchange(int lengthBytes, int count)
        {
            for (int i = 0; i < count; i++)
            {
                Assert.Equal(1, socket.SendTo(payload.AsSpan(0, lengthBytes), socket.LocalEndPoint).Sent);
            }

            Assert.Equal(ReceiveStatus.Received, socket.Receive(batch));
            Assert.Equal((count, (long)count * lengthBytes), (batch.Count, batch.ByteCount));
        }
    }

    [Fact]
    public void TryReserve_MoreThanTheAddressSpace_SlotsHaveTheirFullSizeFromTheStart()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the address space is one of Linux");
        Assert.Null(SpillMemory.TryReserve(int.MaxValue, 65_535));

        MmsgReceiveSlots slots = new(slotCount: 2, slotBytes: 65_535, spill: null);

        Assert.Equal(65_535, slots.FirstBytes);
        Assert.All([0, 1], i => Assert.False(slots.IsSmall(i)));
    }

    [Fact]
    public void MoveNext_SegmentSizeNotYetWritten_EndsAfterTheSlot()
    {
        ReceiveSlots slots = new(slotCount: 1, slotBytes: 100, bufferBytes: 100);
        slots.All[0].LengthBytes = 7;
        slots.Complete(1);
        slots.All[0].SegmentBytes = 0;
        ReceiveBatch.Enumerator walk = new(slots);

        Assert.True(walk.MoveNext());
        Assert.Equal(7, walk.Current.Payload.Length);
        Assert.False(walk.MoveNext());
    }

    [Theory]
    [InlineData(UdpBackend.Portable)]
    [InlineData(UdpBackend.Mmsg)]
    public void Lease_OfAGrownSlot_NextIsSmallUnlessALargeBufferHasComeBack(UdpBackend backend)
    {
        using UdpSocket socket = Open(backend);
        using ReceiveBatch batch = socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotCount = 1 });

        DatagramLease first = Take(9000);
        using DatagramLease small = Take(10);
        Assert.True(batch.Slots.IsSmall(0));
        using DatagramLease second = Take(9000);
        Assert.False(batch.Slots.IsSmall(0));
        first.Dispose();
        using DatagramLease last = Take(10);
        Assert.False(batch.Slots.IsSmall(0));

        DatagramLease Take(int lengthBytes)
        {
            Assert.Equal(1, socket.SendTo(new byte[lengthBytes], socket.LocalEndPoint).Sent);
            Assert.Equal(ReceiveStatus.Received, socket.Receive(batch));
            DatagramLease lease = batch.Lease(0);
            Assert.Equal(lengthBytes, lease.Payload.Length);
            return lease;
        }
    }

    private static long AllocatedBy(Action action)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        action();
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private static UdpSocket Open(UdpBackend backend)
    {
        UdpCapabilities capabilities = UdpCapabilities.Current;
        Assert.SkipUnless(backend != UdpBackend.Mmsg || capabilities.Mmsg.IsAvailable, capabilities.Mmsg.Reason);
        Assert.SkipUnless(backend != UdpBackend.Uring || capabilities.Uring.IsAvailable, capabilities.Uring.Reason);
        return UdpSocket.Bind(
            UdpEndPoint.Loopback(0), new UdpSocketOptions { Backend = backend, CoalescedReceive = false });
    }
}
