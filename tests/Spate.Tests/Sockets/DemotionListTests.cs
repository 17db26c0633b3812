using Spate.Sockets;

namespace Spate.Tests.Sockets;

public sealed class DemotionListTests
{
    private readonly FakeTime _time = new();

    [Fact]
    public void Contains_SameAddressOtherPort_True()
    {
        var list = new DemotionList(_time, default);
        Assert.False(list.HasAny);

        list.Add(UdpEndPoint.Parse("10.1.2.3:1000"));

        Assert.True(list.HasAny);
        Assert.True(list.Contains(UdpEndPoint.Parse("10.1.2.3:1")));
        Assert.False(list.Contains(UdpEndPoint.Parse("10.1.2.4:1000")));
        Assert.False(list.Contains(UdpEndPoint.Parse("[::1]:1000")));

        // Nobody is named on a socket that is not connected: the system refuses that.
        Assert.False(list.Contains(default));
    }

    [Fact]
    public void Contains_RetryAfterOver_FalseAndEmpty()
    {
        var list = new DemotionList(_time, default);
        list.Add(Peer(1));
        _time.Advance(DemotionList.RetryAfter / 2);
        list.Add(Peer(2));

        // Added again, it keeps its first time.
        list.Add(Peer(1));
        _time.Advance((DemotionList.RetryAfter / 2) - TimeSpan.FromTicks(1));
        Assert.True(list.Contains(Peer(1)));
        _time.Advance(TimeSpan.FromTicks(1));
        Assert.False(list.Contains(Peer(1)));
        Assert.True(list.Contains(Peer(2)));
        Assert.True(list.HasAny);
        _time.Advance(DemotionList.RetryAfter / 2);
        Assert.False(list.Contains(Peer(2)));
        Assert.False(list.HasAny);
        list.Add(Peer(1));
        Assert.True(list.Contains(Peer(1)));
    }

    [Fact]
    public void Add_MoreThanTheBound_OldestGivesWay()
    {
        var list = new DemotionList(_time, default);
        for (int i = 0; i < DemotionList.MaxCount; i++) list.Add(Peer(i));
        Assert.True(list.Contains(Peer(0)));

        list.Add(Peer(DemotionList.MaxCount));

        Assert.Equal(256, DemotionList.MaxCount);
        Assert.False(list.Contains(Peer(0)));
        Assert.All(Enumerable.Range(1, DemotionList.MaxCount), i => Assert.True(list.Contains(Peer(i))));
        _time.Advance(DemotionList.RetryAfter);
        Assert.False(list.Contains(Peer(1)));
        Assert.False(list.HasAny);
    }

    [Fact]
    public void Contains_UnnamedPeerOfConnectedSocket_IsTheRemoteOne()
    {
        var list = new DemotionList(_time, Peer(1));

        list.Add(default);

        Assert.True(list.Contains(Peer(1)));
        Assert.True(list.Contains(default));
        Assert.False(list.Contains(Peer(2)));
    }

    private static UdpEndPoint Peer(int number) => UdpEndPoint.Parse($"10.9.{number / 250}.{(number % 250) + 1}:9");
}
