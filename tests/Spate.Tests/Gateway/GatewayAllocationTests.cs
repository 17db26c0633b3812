using Spate.Gateway;

namespace Spate.Tests.Gateway;

/// <summary>A million datagrams through a gateway that commits to nowhere: nothing is allocated for them.</summary>
[ProcessWide("allocation of the process")]
public sealed class GatewayAllocationTests
{
    private const int WindowCount = 512;
    private const int RoundCount = 11;
    private const int MaxRoundCount = 4 * RoundCount;
    private const int RoundDatagramCount = 100_000;
    private const int PayloadBytes = 200;
    private const double MaxRoundBytes = RoundDatagramCount * 0.1;

    [Fact]
    public async Task Null_MillionDatagrams_NothingAllocated()
    {
        UdpCapability coalesced = UdpCapabilities.Current.CoalescedReceive;
        Assert.SkipUnless(coalesced.IsAvailable, coalesced.Reason);
        UdpGatewayOptions options = GatewayCase.Options with
        {
            PackBytes = 120 * 1024,
            PackWait = TimeSpan.FromMilliseconds(20),
            MemoryBytes = 32 << 20,
        };
        await using UdpGateway gateway = await UdpGateway.StartAsync(options, GatewayCase.Cancellation);
        using UdpSocket sender = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using SendBatch batch = sender.CreateSendBatch(new SendBatchOptions { Capacity = WindowCount });
        Send(gateway, sender, batch, RoundDatagramCount);

        // A round in which one more buffer of the pool is needed makes it, once in a gateway's life. A busy machine
        // needs more of them, for more rounds; in the end the median round has none.
        List<long> rounds = [];
        do
        {
            rounds.Add(RoundBytes(gateway, sender, batch));
        }
        while (rounds.Count < RoundCount || (MedianOfLast(rounds) >= MaxRoundBytes && rounds.Count < MaxRoundCount));

        Assert.True(
            MedianOfLast(rounds) < MaxRoundBytes,
            $"Bytes allocated in rounds of {RoundDatagramCount} datagrams: {string.Join(' ', rounds)}.");
    }

    private static long MedianOfLast(List<long> rounds) =>
        rounds.TakeLast(RoundCount).Order().ElementAt(RoundCount / 2);

    private static long RoundBytes(UdpGateway gateway, UdpSocket sender, SendBatch batch)
    {
        long before = GC.GetTotalAllocatedBytes(precise: true);
        long ownBytes = Send(gateway, sender, batch, RoundDatagramCount);
        return GC.GetTotalAllocatedBytes(precise: true) - before - ownBytes;
    }

    // In windows of which none is dropped. Returns what looking at the counts has allocated on this thread.
    private static long Send(UdpGateway gateway, UdpSocket sender, SendBatch batch, int count)
    {
        long ownBytes = 0;
        long goal = gateway.GetStatistics().Accepted;
        for (int sent = 0; sent < count; sent += WindowCount)
        {
            for (int i = 0; i < WindowCount; i++)
            {
                if (!batch.TryReserve(gateway.LocalEndPoints[0], PayloadBytes, out _))
                {
                    throw new InvalidOperationException("The batch is full.");
                }
            }

            if (!sender.Send(batch).AllSent) throw new InvalidOperationException("A datagram was not sent.");
            goal += WindowCount;
            long before = GC.GetAllocatedBytesForCurrentThread();
            SpinWait wait = default;
            while (gateway.GetStatistics().Accepted < goal)
            {
                TestContext.Current.CancellationToken.ThrowIfCancellationRequested();
                wait.SpinOnce();
            }

            ownBytes += GC.GetAllocatedBytesForCurrentThread() - before;
        }

        return ownBytes;
    }
}
