using System.Runtime.CompilerServices;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Tests.Serving.Lifetime;

/// <summary>What servers use of the process: nothing that is left behind, and no allocation per datagram.</summary>
[ProcessWide("memory, descriptors and threads of the process")]
public sealed class ServerUseTests
{
    private const int WarmUpCount = 70;
    private const int WindowCount = 100;

    // The runtime's own, such as a thread of the pool. An object a datagram would be a hundred times as much.
    private const long MaxOtherBytes = 20_000;

    private const long MaxBytesPerRound = 1_000;

    // A twentieth of the buffers of one thread.
    private const long MaxBytesPerThread = 93_000;

    private static int RoundCount => TestWidth.Of(170, full: 1_000);
    private static int DatagramCount => TestWidth.Of(50_000, full: 200_000);

    [Fact]
    public void StartAndStop_ManyTimes_NothingLeft()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Descriptors and threads are counted in /proc.");
        for (int round = 0; round < WarmUpCount; round++) StartAndStop(round);
        HashSet<string> before = ProcessUse.Descriptors();
        int count = RoundCount - WarmUpCount;

        // The thread that ended last may be reachable for a while, with its buffers; a leak grows in every window.
        long[] grownBytes = new long[3];
        for (int window = 0; window < grownBytes.Length; window++)
        {
            long memoryBefore = LiveBytes();
            for (int round = 0; round < count; round++) StartAndStop(WarmUpCount + round);
            Assert.Empty(ProcessUse.Descriptors().Except(before, StringComparer.Ordinal));
            Assert.True(
                SpinWait.SpinUntil(() => ProcessUse.ServerThreadCount() == 0, ServerCase.Patience),
                $"{ProcessUse.ServerThreadCount()} threads are left.");
            grownBytes[window] = LiveBytes() - memoryBefore;
            if (grownBytes[window] < count * MaxBytesPerRound) return;
        }

        Assert.Fail($"{string.Join(", ", grownBytes)} bytes are left of {count} servers each.");
    }

    [Fact]
    public async Task SetThreadCount_ManyTimes_MemoryOfEndedThreadsGoes()
    {
        ServerCase.RequireSharedPort();
        await using UdpServer server = UdpServer.Start(
            new UdpServerOptions { LocalEndPoints = [UdpEndPoint.Loopback(0)], ThreadCount = 1 },
            _ => new TestHandler());
        const int UnmeasuredCount = 10;
        int count = TestWidth.Of(20, full: 90);
        long before = 0;
        for (int round = 0; round < UnmeasuredCount + count; round++)
        {
            if (round == UnmeasuredCount) before = LiveBytes();
            await server.SetThreadCountAsync(2, ServerCase.Cancellation);
            await server.SetThreadCountAsync(1, ServerCase.Cancellation);
        }

        long grownBytes = LiveBytes() - before;
        Assert.True(grownBytes < count * MaxBytesPerThread, $"{grownBytes} bytes are left of {count} threads.");
        Assert.Equal(2, server.GetStatistics().Threads.Count);
    }

    [Theory]
    [InlineData("sharded", true)]
    [InlineData("sharded", false)]
    [InlineData("one-by-one", false)]
    [InlineData("drain", true)]
    [InlineData("ring", true)]
    [InlineData("ring", false)]
    [InlineData("adaptive", true)]
    [InlineData("adaptive", false)]
    [InlineData("reader-workers", true)]
    [InlineData("reader-workers", false)]
    public void Echo_SteadyState_NothingAllocated(string designName, bool coalesced)
    {
        UdpServerDesign design = DesignNames.Find(designName);
        UdpCapability mmsg = UdpCapabilities.Current.Mmsg;
        Assert.SkipUnless(mmsg.IsAvailable, mmsg.Reason);
        using UdpServer server = UdpServer.Start(
            new UdpServerOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(0)],
                Design = design,
                ThreadCount = 2,
                Socket = new UdpSocketOptions { CoalescedReceive = coalesced },
            },
            TestHandler.Echo);
        using UdpSocket client = UdpSocket.Connect(server.LocalEndPoints[0]);
        using SendBatch requests = client.CreateSendBatch();
        using ReceiveBatch answers = client.CreateReceiveBatch();
        // The queues of a design grow to their size in the first thousands.
        Run(20_000);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        long allocatedBytes = GC.GetTotalAllocatedBytes(precise: true);
        Run(DatagramCount);
        allocatedBytes = GC.GetTotalAllocatedBytes(precise: true) - allocatedBytes;
        Assert.True(
            allocatedBytes < MaxOtherBytes,
            $"{allocatedBytes} bytes were allocated for {DatagramCount} datagrams.");

        void Run(int count)
        {
            for (int done = 0; done < count; done += WindowCount)
            {
                for (int i = 0; i < WindowCount; i++) Check(requests.TryReserve(64, out _));
                Check(client.Send(requests).AllSent);
                for (int left = WindowCount; left > 0; left -= answers.Count)
                    Check(client.Receive(answers, ServerCase.Patience) == ReceiveStatus.Received);
            }
        }
    }

    // A method of its own: a variable in the loop would keep the last server, up to 9 MB, while the memory is read.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void StartAndStop(int round)
    {
        IReadOnlyList<UdpServerDesign> designs = ServerDesigns.All;
        using UdpServer server = UdpServer.Start(
            new UdpServerOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(0)],
                Design = designs[round % designs.Count],
                ThreadCount = 1 + (round % 2),
                ReceiveBatch = new ReceiveBatchOptions { SlotCount = 4 },
                Socket = new UdpSocketOptions { CoalescedReceive = false },
            },
            TestHandler.Echo);
        if (round % 7 == 0) server.Shards[0].TryEnqueue([1], server.LocalEndPoints[0]);
    }

    // The assertions of the test framework allocate.
    private static void Check(bool condition)
    {
        if (!condition) throw new InvalidOperationException("A datagram was not sent, or not answered.");
    }

    private static long LiveBytes()
    {
        for (int i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        return GC.GetTotalMemory(forceFullCollection: true);
    }
}
