using System.Diagnostics;
using System.Net.Sockets;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Traffic;

/// <summary>Sender and receiver of traffic in this process, over the loopback, with bounded counts.</summary>
public sealed class TrafficRunTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    [Theory]
    [InlineData(1, 1000)]
    [InlineData(3, 1000)]
    [InlineData(2, 1)]
    public void Send_Count_IsSharedExactlyAmongFlows(int flowCount, int datagramCount)
    {
        using TrafficReceiver receiver = Listen();
        using TrafficSender sender = TrafficSender.Open(new TrafficSenderOptions
        {
            Targets = [receiver.LocalEndPoint],
            SizeBytes = 64,
            FlowCount = flowCount,
            DatagramCount = datagramCount,
            DatagramsPerSecond = 20_000,
        });

        TrafficReport report = sender.Run(cancellationToken: TestContext.Current.CancellationToken);

        Assert.Equal(datagramCount, report.Datagrams);
        Assert.Equal(datagramCount * 64L, report.Bytes);
        Assert.Equal(flowCount, report.PerStream.Length);
        long least = report.PerStream.Min(static stream => stream.Datagrams);
        Assert.InRange(report.PerStream.Max(static stream => stream.Datagrams) - least, 0, 1);
    }

    [Fact]
    public async Task Receive_OneLostOneTwiceOneLate_IsTold()
    {
        using TrafficReceiver receiver = TrafficReceiver.Open(
            new TrafficReceiverOptions { Local = UdpEndPoint.Loopback(0), DatagramCount = 6, Duration = Patience });
        Task<TrafficReport> run = Task.Run(
            () => receiver.Run(), TestContext.Current.CancellationToken);
        using var plain = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        byte[] payload = new byte[TestDatagram.HeaderBytes];
        ulong stream = TestDatagram.NewStreamId();

        // 2 never comes, 3 comes twice, 4 comes after 5.
        foreach (long sequence in (long[])[0, 1, 3, 3, 5, 4])
        {
            TestDatagram.WriteData(payload, stream, sequence);
            plain.SendTo(payload, receiver.LocalEndPoint.ToIPEndPoint());
        }

        TrafficReport report = await run;
        Assert.Equal((6, 1, 1, 1), (report.Datagrams, report.Lost, report.Duplicated, report.Reordered));
        Assert.Equal(TestDatagram.HeaderBytes, report.SizeBytes);
    }

    [Fact]
    public void Receive_FullSocketWithoutGro_ReceivedAndDroppedAddUp()
    {
        const int Sent = 20_000;
        const int EndCopies = 5;
        using TrafficReceiver receiver = TrafficReceiver.Open(new TrafficReceiverOptions
        {
            Local = UdpEndPoint.Loopback(0),
            Transport = new TransportOptions { BufferBytes = 64 * 1024, CoalescedReceive = false },
            Duration = TimeSpan.FromMilliseconds(300),
        });
        using TrafficSender sender = TrafficSender.Open(new TrafficSenderOptions
        {
            Targets = [receiver.LocalEndPoint],
            SizeBytes = 200,
            DatagramCount = Sent,
        });

        // Nobody reads while it is sent: most of it finds the socket full, announcements of the end included.
        TrafficReport sent = sender.Run(cancellationToken: TestContext.Current.CancellationToken);
        TrafficReport received = receiver.Run(cancellationToken: TestContext.Current.CancellationToken);

        Assert.Equal(Sent, sent.Datagrams);
        Assert.SkipWhen(received.KernelDrops is null, "this system does not tell a socket's drops");
        Assert.InRange(received.Datagrams, 1, Sent - 1);
        Assert.InRange(received.Datagrams + received.KernelDrops.Value, Sent, Sent + EndCopies);
        Assert.Equal("datagrams", received.KernelDropUnit);
    }

    [Fact]
    public async Task Receive_FullSocketWithoutGro_LossIsPutThere()
    {
        const int Sent = 20_000;
        using TrafficReceiver receiver = TrafficReceiver.Open(new TrafficReceiverOptions
        {
            Local = UdpEndPoint.Loopback(0),
            Transport = new TransportOptions { BufferBytes = 64 * 1024, CoalescedReceive = false },
            Duration = Patience,
        });
        using TrafficSender sender = TrafficSender.Open(new TrafficSenderOptions
        {
            Targets = [receiver.LocalEndPoint],
            SizeBytes = 200,
            DatagramCount = Sent,
            Interval = Patience,
        });
        using var stop = new CancellationTokenSource();
        Task<TrafficReport>? receiving = null;

        // It is read from the moment when all data has been sent, so it finds the announcements that follow over 80 ms.
        sender.Run(
            _ => receiving ??= Task.Run(() => receiver.Run(cancellationToken: stop.Token)),
            TestContext.Current.CancellationToken);
        await stop.CancelAsync();
        TrafficReport received = await Assert.IsType<Task<TrafficReport>>(receiving, exactMatch: false);

        Assert.SkipWhen(received.KernelDrops is null, "this system does not tell a socket's drops");
        Assert.Equal(Sent, received.Unique + received.Lost);
        Assert.InRange(received.Lost!.Value, 1, Sent - 1);
        Assert.Equal(received.Lost, received.LostWhere!["socket"] + received.LostWhere["reader"]);
        Assert.Equal(0, received.Unexplained);
        Assert.StartsWith("100 % of the loss is ", received.Verdict, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Send_Cancelled_EndsWithItsReportAndExactNumbers()
    {
        using TrafficReceiver receiver = Listen();
        using TrafficSender sender = TrafficSender.Open(new TrafficSenderOptions
        {
            Targets = [receiver.LocalEndPoint],
            SizeBytes = 64,
            DatagramsPerSecond = 1000,
            Interval = TimeSpan.FromMilliseconds(50),
        });
        using var stopSending = new CancellationTokenSource(Patience);
        using var stopReceiving = new CancellationTokenSource(Patience);
        Task<TrafficReport> run = Task.Run(
            () => receiver.Run(cancellationToken: stopReceiving.Token), TestContext.Current.CancellationToken);

        TrafficReport sent = sender.Run(_ => stopSending.Cancel(), stopSending.Token);
        await stopReceiving.CancelAsync();
        TrafficReport received = await run;

        Assert.Equal(sent.Datagrams, received.Datagrams);
        Assert.Equal(0, received.Lost);
        Assert.True(Assert.Single(received.PerStream).Ended);
        Assert.NotEmpty(sent.Intervals);
    }

    [Theory]
    [InlineData(TestDatagram.HeaderBytes, 1)]
    [InlineData(64, 2)]
    public void Send_AnySize_DatagramsOfACallCarryItsTime(int sizeBytes, int version)
    {
        using UdpSocket socket = UdpSocket.Bind(
            UdpEndPoint.Loopback(0), new UdpSocketOptions { CoalescedReceive = false });
        long before = Stopwatch.GetTimestamp();
        using (TrafficSender sender = TrafficSender.Open(new TrafficSenderOptions
        {
            Targets = [socket.LocalEndPoint],
            SizeBytes = sizeBytes,
            DatagramCount = 3,
        }))
        {
            sender.Run(cancellationToken: TestContext.Current.CancellationToken);
        }

        byte[] payload = new byte[sizeBytes + 1];
        var sent = new List<TestDatagram>();
        for (int i = 0; i < 4; i++)
        {
            Assert.Equal(ReceiveStatus.Received, socket.ReceiveFrom(payload, Patience, out ReceivedDatagram received));
            Assert.Equal(version, payload[4]);
            Assert.True(TestDatagram.TryRead(payload.AsSpan(0, received.Length), out TestDatagram datagram));
            sent.Add(datagram);
        }

        Assert.Equal([0, 1, 2, 3], sent.Select(static datagram => datagram.Sequence));
        Assert.Equal([1, 1, 1, 2], sent.Select(static datagram => (int)datagram.Kind));
        Assert.Single(sent.Take(3).Select(static datagram => datagram.SentNanoseconds).Distinct());
        if (version == 1) return;
        var system = TimeProvider.System;
        Assert.InRange(
            sent[0].SentNanoseconds, system.ToNanoseconds(before), system.ToNanoseconds(Stopwatch.GetTimestamp()));
        Assert.True(sent[3].SentNanoseconds > sent[0].SentNanoseconds);
    }

    [Fact]
    public void Receive_WithoutAccounting_VisitsEveryDatagramAndTellsNothingOfLoss()
    {
        using TrafficReceiver receiver = TrafficReceiver.Open(new TrafficReceiverOptions
        {
            Local = UdpEndPoint.Loopback(0),
            Accounting = null,
            DatagramCount = 100,
            Duration = Patience,
        });
        using TrafficSender sender = TrafficSender.Open(new TrafficSenderOptions
        {
            Targets = [receiver.LocalEndPoint],
            SizeBytes = 64,
            DatagramCount = 100,
        });

        sender.Run(cancellationToken: TestContext.Current.CancellationToken);
        TrafficReport report = receiver.Run(cancellationToken: TestContext.Current.CancellationToken);

        Assert.Equal((100, 6400, null, null), (report.Datagrams, report.Bytes, report.Lost, report.Unique));
        Assert.Null(report.LossBursts);
        Assert.Empty(report.PerStream);
        Assert.Equal(0, report.Streams);
    }

    [Fact]
    public void Receive_AskedForAll_TellsAll()
    {
        using TrafficReceiver receiver = TrafficReceiver.Open(new TrafficReceiverOptions
        {
            Local = UdpEndPoint.Loopback(0),
            Accounting = new AccountingOptions { Deadline = TimeSpan.FromDays(1), Verify = true },
            DatagramCount = 100,
            Duration = Patience,
        });
        using TrafficSender sender = TrafficSender.Open(new TrafficSenderOptions
        {
            Targets = [receiver.LocalEndPoint],
            SizeBytes = 64,
            Checksums = true,
            DatagramCount = 100,
        });

        sender.Run(cancellationToken: TestContext.Current.CancellationToken);
        TrafficReport report = receiver.Run(cancellationToken: TestContext.Current.CancellationToken);

        Assert.Equal((100, 0, 0, 0), (report.Unique, report.Lost, report.AfterDeadline, report.Corrupted));
        Assert.Equal((0, 0, 0), (report.LossBursts!.Count, report.LossGaps!.Count, report.ReorderExtent!.Count));
        Assert.Equal(100, report.DelayVariation!.Datagrams);
        Assert.Equal(0, report.DelayVariation.DriftPartsPerMillion);
    }

    [Fact]
    public void Receive_SenderWithoutChecksums_AllIsCorrupted()
    {
        using TrafficReceiver receiver = TrafficReceiver.Open(new TrafficReceiverOptions
        {
            Local = UdpEndPoint.Loopback(0),
            Accounting = new AccountingOptions { Verify = true },
            DatagramCount = 10,
            Duration = Patience,
        });
        using TrafficSender sender = TrafficSender.Open(new TrafficSenderOptions
        {
            Targets = [receiver.LocalEndPoint],
            SizeBytes = 64,
            DatagramCount = 10,
        });

        sender.Run(cancellationToken: TestContext.Current.CancellationToken);
        TrafficReport report = receiver.Run(cancellationToken: TestContext.Current.CancellationToken);

        Assert.Equal((10, 0, 10, null), (report.Datagrams, report.Unique, report.Corrupted, report.AfterDeadline));
    }

    [Fact]
    public void Send_SeveralTargets_EachGetsItsShare()
    {
        using TrafficReceiver first = Listen();
        using TrafficReceiver second = Listen();
        using TrafficReceiver third = Listen();
        using TrafficSender sender = TrafficSender.Open(new TrafficSenderOptions
        {
            Targets = [first.LocalEndPoint, second.LocalEndPoint, third.LocalEndPoint],
            SizeBytes = 64,
            FlowCount = 2,
            DatagramCount = 1000,
            DatagramsPerSecond = 20_000,
        });

        TrafficReport report = sender.Run(cancellationToken: TestContext.Current.CancellationToken);

        // Flow 0 serves the first and the third, flow 1 the second.
        Assert.Equal([250, 250, 500], report.PerStream.Select(static stream => stream.Datagrams));
    }

    [Fact]
    public void Open_BusyPort_IsASocketException()
    {
        using TrafficReceiver first = Listen();

        SocketException fault = Assert.Throws<SocketException>(
            () => TrafficReceiver.Open(new TrafficReceiverOptions { Local = first.LocalEndPoint }));

        Assert.Equal(SocketError.AddressAlreadyInUse, fault.SocketErrorCode);
    }

    [Fact]
    public void Run_CpuThatIsNotThere_IsOneLine()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "threads are pinned on Linux only");
        using TrafficReceiver receiver = TrafficReceiver.Open(
            new TrafficReceiverOptions { Local = UdpEndPoint.Loopback(0), Cpus = [8000], Duration = Patience });

        TrafficException fault = Assert.Throws<TrafficException>(
            () => receiver.Run(cancellationToken: TestContext.Current.CancellationToken));

        Assert.DoesNotContain('\n', fault.Message);
    }

    private static TrafficReceiver Listen() =>
        TrafficReceiver.Open(new TrafficReceiverOptions { Local = UdpEndPoint.Loopback(0), Duration = Patience });
}
