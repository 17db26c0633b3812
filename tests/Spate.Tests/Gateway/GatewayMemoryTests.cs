using Spate.Gateway;

namespace Spate.Tests.Gateway;

/// <summary>A hundred million datagrams through a gateway that commits to nowhere: memory stays as it was.</summary>
[ProcessWide("it measures the memory of the process")]
public sealed class GatewayMemoryTests
{
    private const int BatchCount = 512;
    private const int PayloadBytes = 200;
    private const long WarmUpCount = 5_000_000;
    private const long DatagramCount = 100_000_000;

    // One byte for a hundred datagrams would be as much as this.
    private const long MaxHeapGrowth = 1 << 20;

    // What the collector keeps of pages varies by more than the heap does.
    private const long MaxResidentGrowth = 32 << 20;

    [Fact]
    public async Task Null_HundredMillionDatagrams_MemoryIsFlat()
    {
        TestWidth.SkipUnlessLong("it takes a minute or two; GatewayAllocationTests has a million datagrams");
        await using UdpGateway gateway = await UdpGateway.StartAsync(
            new UdpGatewayOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(0)],
                Target = GatewayTarget.Discard,
                ThreadCount = 1,

                // About eight buffers, so that the pool, which grows when it is first needed, cannot hide a leak.
                ConfirmWindow = 4,
                MemoryBytes = 1_500_000,
            },
            TestContext.Current.CancellationToken);
        using UdpSocket sender = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using SendBatch batch = sender.CreateSendBatch(new SendBatchOptions { Capacity = BatchCount });
        Send(gateway, sender, batch, WarmUpCount);
        (long heap, long resident) = Read();
        Send(gateway, sender, batch, DatagramCount);
        (long heapAfter, long residentAfter) = Read();

        GatewayStatistics done = await gateway.StopAsync(TimeSpan.FromSeconds(5), CancellationToken.None);
        Assert.Equal((0L, done.Accepted), (done.Difference, done.Committed + done.Dropped));
        Assert.True(heapAfter - heap < MaxHeapGrowth, $"the heap grew from {heap} to {heapAfter} bytes");
        Assert.True(
            residentAfter - resident < MaxResidentGrowth,
            $"resident memory grew from {resident} to {residentAfter} bytes");
    }

    private static (long Heap, long Resident) Read()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return (GC.GetTotalMemory(forceFullCollection: true), Environment.WorkingSet);
    }

    // In batches that fit into the socket's buffer. What the kernel drops all the same is not waited for.
    private static void Send(UdpGateway gateway, UdpSocket sender, SendBatch batch, long count)
    {
        long goal = Arrived(gateway);
        for (long sent = 0; sent < count; sent += BatchCount)
        {
            for (int i = 0; i < BatchCount; i++)
            {
                Assert.True(batch.TryReserve(gateway.LocalEndPoints[0], PayloadBytes, out _));
            }

            Assert.True(sender.Send(batch).AllSent);
            goal += BatchCount;
            SpinWait wait = default;
            while (Arrived(gateway) < goal)
            {
                TestContext.Current.CancellationToken.ThrowIfCancellationRequested();
                wait.SpinOnce();
            }
        }
    }

    private static long Arrived(UdpGateway gateway)
    {
        GatewayStatistics now = gateway.GetStatistics();
        return now.Accepted + (now.KernelDrops ?? 0);
    }
}
