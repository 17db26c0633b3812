using Spate.HostTuning.Counters;

namespace Spate.Tests.HostTuning.Counters;

public sealed class UdpSocketCountersTests
{
    [Fact]
    public void Subtract_DropsThatWrapped_AreCounted()
    {
        var later = new UdpSocketCounters(12, 9) { ReceiveQueueBytes = 5, Drops = 10 };

        Assert.Equal(later with { Drops = 26 }, later - new UdpSocketCounters(12, 9) { Drops = 0xFFFF_FFF0 });
        Assert.Null((later - new UdpSocketCounters(12, 9)).Drops);
        Assert.Throws<ArgumentException>(() => later - new UdpSocketCounters(13, 9) { Drops = 1 });
    }
}
