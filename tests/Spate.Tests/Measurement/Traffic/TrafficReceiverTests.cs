using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Traffic;

public sealed class TrafficReceiverTests
{
    [Fact]
    public void RequireSharing_SeveralFlowsOnWindows_IsRefusedWithAnotherWay()
    {
        var several = new TrafficReceiverOptions { FlowCount = 2 };

        TrafficReceiver.RequireSharing(several, isWindows: false);
        TrafficReceiver.RequireSharing(new TrafficReceiverOptions(), isWindows: true);
        PlatformNotSupportedException refusal = Assert.Throws<PlatformNotSupportedException>(
            () => TrafficReceiver.RequireSharing(several, isWindows: true));

        Assert.Contains("spate serve", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Over_OtherStreamsThanItsOwn_AreCountedWithoutMemoryOfTheirOwn()
    {
        const int Strangers = 50;
        using UdpSocket socket = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using var receiver = TrafficReceiver.Over(
            [TestReceiveFlow.OfStream(0, socket, streamId: 1, new AccountingOptions(), TimeProvider.System)],
            new TrafficReceiverOptions(),
            TimeProvider.System);
        using UdpSocket sender = UdpSocket.Connect(socket.LocalEndPoint);
        byte[] payload = new byte[64];
        foreach (ulong stream in (ulong[])[1, .. Enumerable.Range(1000, Strangers).Select(static id => (ulong)id)])
        {
            TestDatagram.WriteData(payload, stream, sequence: 0, sentNanoseconds: 1);
            sender.Send(payload);
        }

        // All of it is queued, and what is queued still counts when the run is stopped.
        using var stop = new CancellationTokenSource();
        await stop.CancelAsync();
        TrafficReport report = receiver.Run(cancellationToken: stop.Token);

        Assert.Equal((1, Strangers, Strangers), (report.Streams, report.UntrackedStreams, report.UntrackedDatagrams));
        Assert.Equal(1, report.Unique);
        Assert.Single(report.PerStream);
    }
}
