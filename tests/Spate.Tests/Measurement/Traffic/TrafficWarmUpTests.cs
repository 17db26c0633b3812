using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Traffic;

/// <summary>What runs before a run, so that nothing is left to compile in it.</summary>
public sealed class TrafficWarmUpTests
{
    private static readonly TrafficReceiverOptions Receives = new()
    {
        Local = UdpEndPoint.Loopback(0),
        Duration = TimeSpan.FromMilliseconds(20),
    };

    private static readonly TrafficSenderOptions Sends = new() { Targets = [UdpEndPoint.Loopback(9)] };

    [Fact]
    public void Receive_LoopbackUp_RunsTheLoopAndLeavesTheRunAtZero()
    {
        long warmedUp = Datagrams(told => TrafficWarmUp.Receive(Receives, told));
        using TrafficReceiver receiver = TrafficReceiver.Open(Receives);
        TrafficReport report = receiver.Run(cancellationToken: TestContext.Current.CancellationToken);

        Assert.NotEqual(0, warmedUp);
        Assert.Equal(0, report.Datagrams);
        Assert.Equal(0, report.Lost);
        Assert.Equal(0, report.KernelDrops ?? 0);
    }

    [Theory, InlineData(0), InlineData(64), InlineData(1380), InlineData(65_507)]
    public void Send_LoopbackUp_RunsTheLoop(int sizeBytes)
    {
        var options = new TrafficSenderOptions { Targets = Sends.Targets, SizeBytes = sizeBytes };

        Assert.NotEqual(0, Datagrams(told => TrafficWarmUp.Send(options, told)));
    }

    [Theory, InlineData(UdpBackend.Portable), InlineData(UdpBackend.Mmsg), InlineData(UdpBackend.Uring)]
    public void Receive_BackendByName_RunsTheLoop(UdpBackend backend)
    {
        UdpCapabilities probed = UdpCapabilities.Current;
        Assert.SkipUnless(backend != UdpBackend.Mmsg || probed.Mmsg.IsAvailable, probed.Mmsg.Reason);
        Assert.SkipUnless(backend != UdpBackend.Uring || probed.Uring.IsAvailable, probed.Uring.Reason);
        var options = new TrafficReceiverOptions
        {
            Local = UdpEndPoint.Loopback(0),
            Transport = new TransportOptions { Backend = backend },
        };

        Assert.NotEqual(0, Datagrams(told => TrafficWarmUp.Receive(options, told)));
    }

    private static long Datagrams(Action<Action<TrafficInterval>> warmUp)
    {
        long datagrams = 0;
        warmUp(interval => Interlocked.Add(ref datagrams, interval.Total.Datagrams));
        return datagrams;
    }
}
