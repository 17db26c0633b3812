using System.Net;
using System.Net.Sockets;
using Spate.Cli.Serve;
using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;
using Spate.Serving;
using Spate.Tests.Serving;

namespace Spate.Tests.Cli.Serve;

/// <summary>The server of <c>spate serve</c> in this process, over the loopback, with bounded counts.</summary>
public sealed class ServeRunTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    public static TheoryData<UdpServerDesign> Designs { get; } = new(ServerDesigns.All);

    [Theory]
    [MemberData(nameof(Designs))]
    public async Task Count_NumberedStreams_EveryDesignAccountsExactly(UdpServerDesign design)
    {
        const int Count = 6000;
        using ServeRun run = Start(new() { Design = ServerDesign.Of(design), ThreadCount = 3, EndsWithSenders = true });
        Task<ServeReport> serving = Serve(run);

        Send(run, Count, sizeBytes: 64, flowCount: 3);
        ServeReport report = await serving;

        Assert.Equal((Count, Count * 64L, 64), (report.Datagrams, report.Bytes, report.SizeBytes));
        Assert.Equal((Count, Count, 100.0), (report.Processed, report.ProcessedOf, report.ProcessedPercent));
        Assert.Equal((0L, 0L, 0L), (report.Lost, report.Duplicated, report.Late));
        Assert.Equal((3, 3), (report.Streams, report.EndedStreams));
        Assert.Equal(report.KeepsPeers ? 0L : null, report.Reordered);
        AssertThreads(report, threadCount: 3);
    }

    [Fact]
    public async Task Count_DatagramsTooSmallForNumbers_TheirTotalIsKnown()
    {
        using ServeRun run = Start(
            new() { Design = ServerDesign.Of(UdpComparisonDesigns.Drain), ThreadCount = 2, EndsWithSenders = true });
        Task<ServeReport> serving = Serve(run);

        Send(run, datagramCount: 1000, sizeBytes: 20);
        ServeReport report = await serving;

        Assert.Equal((1000, 1000, 1000L), (report.Datagrams, report.OtherDatagrams, report.UnnumberedSent));
        Assert.Equal((1000, 1000, 100.0), (report.Processed, report.ProcessedOf, report.ProcessedPercent));
        Assert.Equal(1, report.EndedStreams);
    }

    [Fact]
    public async Task Count_OneLostOneTwice_IsToldThoughThreadsShareThePeer()
    {
        using ServeRun run = Start(new()
        {
            Design = ServerDesign.Of(UdpComparisonDesigns.OneByOne),
            ThreadCount = 3,
            EndsWithSenders = true,
        });
        Task<ServeReport> serving = Serve(run);
        using var plain = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        byte[] payload = new byte[TestDatagram.HeaderBytes];
        ulong stream = TestDatagram.NewStreamId();

        // 2 never comes, 3 comes twice, and of 7 announced the last does not come.
        foreach (long sequence in (long[])[0, 1, 3, 3, 5, 4])
        {
            TestDatagram.WriteData(payload, stream, sequence);
            plain.SendTo(payload, LocalOf(run));
        }

        TestDatagram.WriteEnd(payload, stream, 7);
        plain.SendTo(payload, LocalOf(run));
        ServeReport report = await serving;

        Assert.Equal((6, 2L, 1L), (report.Datagrams, report.Lost, report.Duplicated));
        Assert.Equal((5, 7), (report.Processed, report.ProcessedOf));
    }

    [Fact]
    public async Task Echo_AnySize_ComesBackWhole()
    {
        using ServeRun run = Start(new() { App = ServeApp.Echo, DatagramCount = 4 });
        Task<ServeReport> serving = Serve(run);
        using Socket plain = Bind();
        byte[] answer = new byte[65_535];
        foreach (int length in (int[])[0, 1, 1400, 60_000])
        {
            byte[] request = new byte[length];
            Random.Shared.NextBytes(request);
            plain.SendTo(request, LocalOf(run));
            Assert.Equal(request, answer[..await ReceiveAsync(plain, answer)]);
        }

        ServeReport report = await serving;
        Assert.Equal((4, 4, 0, 0), (report.Datagrams, report.Sent, report.Refused, report.Unanswered));
        Assert.Equal(4, report.Threads.Sum(static thread => thread.Sent));
    }

    [Fact]
    public async Task Echo_FromThePortItServes_IsNotAnswered()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "127.0.0.2 is needed");
        using ServeRun run = Start(new() { App = ServeApp.Echo, DatagramCount = 1 });
        Task<ServeReport> serving = Serve(run);
        using var other = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        other.Bind(new IPEndPoint(IPAddress.Parse("127.0.0.2"), LocalOf(run).Port));

        other.SendTo(new byte[8], LocalOf(run));
        ServeReport report = await serving;

        Assert.Equal((1, 1, 0), (report.Datagrams, report.Unanswered, report.Sent));
    }

    [Theory]
    [InlineData("sharded")]
    [InlineData("reader-workers")]
    public async Task Relay_TwoDestinations_BothGetEverything(string designName)
    {
        UdpServerDesign design = DesignNames.Find(designName);
        const int Count = 3000;
        using TrafficReceiver first = Listen(Count);
        using TrafficReceiver second = Listen(Count);
        using ServeRun run = Start(new()
        {
            App = ServeApp.Relay,
            Design = ServerDesign.Of(design),
            ThreadCount = 2,
            Destinations = [first.LocalEndPoint, second.LocalEndPoint],
        });
        using var stop = new CancellationTokenSource();
        Task<ServeReport> serving = Task.Run(() => run.Run(cancellationToken: stop.Token));
        Task<TrafficReport>[] receiving = [Task.Run(() => first.Run()), Task.Run(() => second.Run())];

        Send(run, Count, sizeBytes: 200, flowCount: 2);
        foreach (TrafficReport received in await Task.WhenAll(receiving))
        {
            Assert.Equal((Count, 0L, 0L), (received.Datagrams, received.Lost, received.Duplicated));
            if (design == UdpServerDesign.Sharded) Assert.Equal(0, received.Reordered);
        }

        await stop.CancelAsync();
        ServeReport report = await serving;
        Assert.Equal((0, 0, 0), (report.Refused, report.SendDropped, report.Unanswered));

        // Announcements of ends are forwarded like all else.
        Assert.Equal(2 * report.Datagrams, report.Sent);
        Assert.True(report.Datagrams >= Count);
    }

    [Fact]
    public async Task Relay_MoreThanAReplyBatchHolds_LosesNothing()
    {
        const int Count = 600;
        Socket[] destinations = [.. Enumerable.Range(0, 8).Select(static _ => Bind())];
        using ServeRun run = Start(new()
        {
            App = ServeApp.Relay,
            ThreadCount = 1,
            Destinations = [.. destinations.Select(static socket =>
                UdpEndPoint.FromIPEndPoint((IPEndPoint)socket.LocalEndPoint!))],
            DatagramCount = Count,

            // Slow enough that the next call finds far more than an eighth of the reply batch.
            WorkRounds = 20_000,
        });
        Task<ServeReport> serving = Serve(run);

        Send(run, Count, sizeBytes: 32, datagramsPerSecond: double.PositiveInfinity);
        ServeReport report = await serving;

        Assert.Equal(8 * report.Datagrams, report.Sent);
        Assert.InRange(report.Threads[0].MostPerCall, 129, int.MaxValue);
        byte[] payload = new byte[100];
        foreach (Socket destination in destinations)
        {
            for (int sequence = 0; sequence < Count; sequence++)
            {
                Assert.Equal(32, await ReceiveAsync(destination, payload));
                Assert.True(TestDatagram.TryRead(payload.AsSpan(0, 32), out TestDatagram datagram));
                Assert.Equal((TestDatagramKind.Data, sequence), (datagram.Kind, datagram.Sequence));
            }

            destination.Dispose();
        }
    }

    [Fact]
    public async Task Relay_AnswerOfADestination_IsNotForwarded()
    {
        using Socket destination = Bind();
        using ServeRun run = Start(new()
        {
            App = ServeApp.Relay,
            Destinations = [UdpEndPoint.FromIPEndPoint((IPEndPoint)destination.LocalEndPoint!)],
            DatagramCount = 1,
        });
        Task<ServeReport> serving = Serve(run);

        destination.SendTo(new byte[8], LocalOf(run));
        ServeReport report = await serving;

        Assert.Equal((1, 1, 0), (report.Datagrams, report.Unanswered, report.Sent));
        Assert.Equal(0, destination.Available);
    }

    [Fact]
    public async Task Discard_Work_IsMeasuredAndDone()
    {
        using ServeRun run = Start(new() { App = ServeApp.Discard, WorkRounds = 100 });
        var intervals = new List<(long Total, long Threads)>();
        using var stop = new CancellationTokenSource();
        Task<ServeReport> serving = Task.Run(() => run.Run(Note, stop.Token));

        Send(run, datagramCount: 50, sizeBytes: 30);
        ServeReport report = await serving;

        Assert.True(report.WorkNanosecondsPerRound > 0);
        Assert.InRange(report.Datagrams, 50, 55);
        Assert.InRange(intervals.Sum(static interval => interval.Total), 50, report.Datagrams);
        Assert.All(intervals, static interval => Assert.Equal(interval.Total, interval.Threads));
        Assert.Null(report.ProcessedPercent);
        Assert.Equal(report.Datagrams, report.Intervals.Sum(static interval => interval.Datagrams));

        // Ends with an interval that has seen all. What comes after it is too short to be told, and the report adds it
        // to the total of this interval, so the figures are taken here.
        void Note(ServeInterval interval)
        {
            intervals.Add((interval.Total.Datagrams, interval.Total.Threads.Sum(static thread => thread.Datagrams)));
            if (intervals.Sum(static told => told.Total) >= 50) stop.Cancel();
        }
    }

    [Fact]
    public async Task Run_EndsRightAfterAnInterval_IntervalsSumToTheTotal()
    {
        const int Count = 20;
        using ServeRun run = Start(new() { ThreadCount = 1, DatagramCount = Count });
        using var plain = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        int sent = 0;
        long told = 0;
        Task<ServeReport> serving = Task.Run(() => run.Run(SendOn, TestContext.Current.CancellationToken));

        SendTen();
        ServeReport report = await serving;

        Assert.Equal((Count, Count), (sent, report.Datagrams));
        Assert.Equal(Count, report.Intervals.Sum(static interval => interval.Datagrams));

        // The second half ends the run, right after an interval in which nothing came: it has no least and no most.
        void SendOn(ServeInterval interval)
        {
            told += interval.Total.Datagrams;
            if (told == Count / 2 && sent < Count && interval.Total.Threads[0].LeastPerCall is null) SendTen();
        }

        void SendTen()
        {
            for (int i = 0; i < Count / 2; i++, sent++) plain.SendTo(new byte[8], LocalOf(run));
        }
    }

    [Fact]
    public void Start_OptionsThatCannotBeMeant_Throws()
    {
        Assert.Throws<ArgumentException>(() => Start(new() { App = ServeApp.Relay }));
        Assert.Throws<ArgumentException>(() => Start(new() { Destinations = [UdpEndPoint.Loopback(1)] }));
        Assert.Throws<ArgumentException>(() => Start(new() { App = ServeApp.Echo, EndsWithSenders = true }));
        Assert.Throws<ArgumentOutOfRangeException>(() => Start(new() { WorkRounds = WorkLoad.MaxRounds + 1 }));
    }

    private static void AssertThreads(ServeReport report, int threadCount)
    {
        ServerThreadReport[] handlers = [.. report.Threads.Where(static thread => thread.Shard >= 0)];
        Assert.Equal(threadCount, handlers.Length);
        Assert.Equal(report.Datagrams, handlers.Sum(static thread => thread.Datagrams));
        Assert.Equal(100, handlers.Sum(static thread => thread.SharePercent!.Value), tolerance: 0.001);
        Assert.All(handlers, static thread =>
        {
            Assert.True(thread.Datagrams >= thread.Calls * thread.LeastPerCall);
            Assert.True(thread.Datagrams <= thread.Calls * thread.MostPerCall);
        });
        bool hasReceiver = report.Design is "ring" or "reader-workers";
        Assert.Equal(threadCount + (hasReceiver ? 1 : 0), report.Threads.Length);
        if (OperatingSystem.IsLinux())
        {
            Assert.All(report.Threads, static thread => Assert.NotNull(thread.VoluntarySwitches));
            Assert.All(report.Threads, static thread => Assert.NotNull(thread.CpuSeconds));
        }
    }

    private static ServeRun Start(ServeOptions options) => ServeRun.Start(options with
    {
        LocalEndPoints = [UdpEndPoint.Loopback(0)],
        Duration = Patience,
        Interval = TimeSpan.FromMilliseconds(100),
    });

    private static Task<ServeReport> Serve(ServeRun run) =>
        Task.Run(() => run.Run(cancellationToken: TestContext.Current.CancellationToken));

    private static TrafficReceiver Listen(int datagramCount) => TrafficReceiver.Open(new TrafficReceiverOptions
    {
        Local = UdpEndPoint.Loopback(0),
        DatagramCount = datagramCount,
        Duration = Patience,
    });

    private static void Send(
        ServeRun run, int datagramCount, int sizeBytes, int flowCount = 1, double datagramsPerSecond = 20_000)
    {
        using TrafficSender sender = TrafficSender.Open(new TrafficSenderOptions
        {
            Targets = [run.Server.LocalEndPoints[0]],
            SizeBytes = sizeBytes,
            FlowCount = flowCount,
            DatagramCount = datagramCount,
            DatagramsPerSecond = datagramsPerSecond,
        });
        Assert.Equal(datagramCount, sender.Run(cancellationToken: TestContext.Current.CancellationToken).Datagrams);
    }

    private static IPEndPoint LocalOf(ServeRun run) => run.Server.LocalEndPoints[0].ToIPEndPoint();

    private static Socket Bind()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
        {
            ReceiveBufferSize = 1 << 20,
        };
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    private static async Task<int> ReceiveAsync(Socket socket, byte[] buffer)
    {
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        patience.CancelAfter(Patience);
        return await socket.ReceiveAsync(buffer, SocketFlags.None, patience.Token);
    }
}
