using Spate.Measurement.Traffic;

namespace Spate.HostTests.Measurement.Traffic;

public sealed class WarmUpWithoutLoopbackTests
{
    [Fact]
    public void Both_LoopbackDown_DoNothing()
    {
        using OwnNetwork network = OwnNetwork.Required(loopbackUp: false);
        long moved = 0;
        void Count(TrafficInterval interval) => Interlocked.Add(ref moved, interval.Total.Datagrams);

        network.Enter(() =>
        {
            TrafficWarmUp.Receive(
                new TrafficReceiverOptions { Local = UdpEndPoint.Loopback(0), Duration = TimeSpan.FromSeconds(1) },
                Count);
            TrafficWarmUp.Send(new TrafficSenderOptions { Targets = [UdpEndPoint.Loopback(9)] }, Count);
            return true;
        });

        Assert.Equal(0, moved);
    }
}
