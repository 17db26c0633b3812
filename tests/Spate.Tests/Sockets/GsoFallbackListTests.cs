using Spate.Sockets;

namespace Spate.Tests.Sockets;

public sealed class GsoFallbackListTests
{
    private const int Size = 1000;

    private readonly FakeTime _time = new();

    [Fact]
    public void Contains_SameAddressOtherPort_True()
    {
        var list = new GsoFallbackList(_time, default);
        Assert.Equal(int.MaxValue, list.SmallestBytes);

        list.Add(UdpEndPoint.Parse("10.1.2.3:1000"), Size);

        Assert.Equal(Size, list.SmallestBytes);
        Assert.True(list.Contains(UdpEndPoint.Parse("10.1.2.3:1"), Size));
        Assert.False(list.Contains(UdpEndPoint.Parse("10.1.2.4:1000"), Size));
        Assert.False(list.Contains(UdpEndPoint.Parse("[::1]:1000"), Size));

        // Nobody is named on a socket that is not connected: the system refuses that.
        Assert.False(list.Contains(default, Size));
    }

    [Fact]
    public void Contains_RetryAfterOver_FalseAndEmpty()
    {
        var list = new GsoFallbackList(_time, default);
        list.Add(Peer(1), Size);
        _time.Advance(GsoFallbackList.RetryAfter / 2);
        list.Add(Peer(2), Size);

        // Added again, it keeps its first time.
        list.Add(Peer(1), Size);
        _time.Advance((GsoFallbackList.RetryAfter / 2) - TimeSpan.FromTicks(1));
        Assert.True(list.Contains(Peer(1), Size));
        _time.Advance(TimeSpan.FromTicks(1));
        Assert.False(list.Contains(Peer(1), Size));
        Assert.True(list.Contains(Peer(2), Size));
        Assert.Equal(Size, list.SmallestBytes);
        _time.Advance(GsoFallbackList.RetryAfter / 2);
        Assert.False(list.Contains(Peer(2), Size));
        Assert.Equal(int.MaxValue, list.SmallestBytes);
        list.Add(Peer(1), Size);
        Assert.True(list.Contains(Peer(1), Size));
    }

    [Fact]
    public void Add_MoreThanTheBound_OldestGivesWay()
    {
        var list = new GsoFallbackList(_time, default);
        for (int i = 0; i < GsoFallbackList.MaxCount; i++) list.Add(Peer(i), Size);
        Assert.True(list.Contains(Peer(0), Size));

        list.Add(Peer(GsoFallbackList.MaxCount), Size);

        Assert.Equal(256, GsoFallbackList.MaxCount);
        Assert.False(list.Contains(Peer(0), Size));
        Assert.All(Enumerable.Range(1, GsoFallbackList.MaxCount), i => Assert.True(list.Contains(Peer(i), Size)));
        _time.Advance(GsoFallbackList.RetryAfter);
        Assert.False(list.Contains(Peer(1), Size));
        Assert.Equal(int.MaxValue, list.SmallestBytes);
    }

    [Fact]
    public void Contains_UnnamedPeerOfConnectedSocket_IsTheRemoteOne()
    {
        var list = new GsoFallbackList(_time, Peer(1));

        list.Add(default, Size);

        Assert.True(list.Contains(Peer(1), Size));
        Assert.True(list.Contains(default, Size));
        Assert.False(list.Contains(Peer(2), Size));
    }

    [Fact]
    public void Contains_OtherSizes_LargerOnesOfThatAddressOnly()
    {
        var list = new GsoFallbackList(_time, default);
        list.Add(Peer(1), Size);
        list.Add(Peer(2), 10);

        Assert.Equal(10, list.SmallestBytes);
        Assert.True(list.Contains(Peer(1), Size + 1));
        Assert.False(list.Contains(Peer(1), Size - 1));
        list.Add(Peer(1), Size + 1);
        Assert.True(list.Contains(Peer(1), Size));
        list.Add(Peer(1), GsoFallbackList.AllSizes);
        Assert.True(list.Contains(Peer(1), 1));
        Assert.False(list.Contains(Peer(2), 9));
        Assert.Equal(GsoFallbackList.AllSizes, list.SmallestBytes);
    }

    [Fact]
    public void Contains_SmallerSizeAddedLater_ExpiresWithTheFirst()
    {
        var list = new GsoFallbackList(_time, default);
        list.Add(Peer(1), Size);
        _time.Advance(GsoFallbackList.RetryAfter - TimeSpan.FromTicks(1));
        list.Add(Peer(1), 10);
        Assert.True(list.Contains(Peer(1), 10));

        _time.Advance(TimeSpan.FromTicks(1));

        Assert.False(list.Contains(Peer(1), Size));
        Assert.Equal(int.MaxValue, list.SmallestBytes);
    }

    [Fact]
    public void Add_TheEarlierEntryHasExpired_HoldsForTheWholeTime()
    {
        var list = new GsoFallbackList(_time, default);
        list.Add(Peer(1), Size);
        _time.Advance(GsoFallbackList.RetryAfter);

        list.Add(Peer(1), 10);

        _time.Advance(GsoFallbackList.RetryAfter - TimeSpan.FromTicks(1));
        Assert.True(list.Contains(Peer(1), 10));
    }

    private static UdpEndPoint Peer(int number) => UdpEndPoint.Parse($"10.9.{number / 250}.{(number % 250) + 1}:9");
}
