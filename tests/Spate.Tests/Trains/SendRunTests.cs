using System.Net;
using Spate.Trains;

namespace Spate.Tests.Trains;

public sealed class SendRunTests
{
    private static readonly UdpEndPoint _peer = new(IPAddress.Loopback, 9000);
    private static readonly UdpEndPoint _otherPeer = new(IPAddress.Loopback, 9001);

    [Fact]
    public void TryExtend_SameSizeBehind_Extends()
    {
        SendRun run = NewRun();

        Assert.True(run.TryExtend(in _peer, SendRun.NoControl, SendRun.OwnBuffer, 300, 100));

        Assert.Equal((2, 100, 100, 200, 400), (run.SegmentCount, run.SegmentBytes, run.LastBytes, run.TotalBytes,
            run.EndBytes));
    }

    [Fact]
    public void TryExtend_ShorterBehind_ExtendsAndCloses()
    {
        SendRun run = NewRun();

        Assert.True(run.TryExtend(in _peer, SendRun.NoControl, SendRun.OwnBuffer, 300, 1));

        Assert.Equal((2, 100, 1, 101), (run.SegmentCount, run.SegmentBytes, run.LastBytes, run.TotalBytes));
        Assert.False(run.TryExtend(in _peer, SendRun.NoControl, SendRun.OwnBuffer, 301, 1));
        Assert.False(run.TryExtend(in _peer, SendRun.NoControl, SendRun.OwnBuffer, 301, 100));
    }

    [Theory]
    [InlineData(SendRun.NoControl, SendRun.OwnBuffer, 300, 101)]
    [InlineData(SendRun.NoControl, SendRun.OwnBuffer, 300, 0)]
    [InlineData(SendRun.NoControl, SendRun.OwnBuffer, 300, -1)]
    [InlineData(SendRun.NoControl, SendRun.OwnBuffer, 300, int.MinValue)]
    [InlineData(SendRun.NoControl, SendRun.OwnBuffer, 301, 100)]
    [InlineData(SendRun.NoControl, SendRun.OwnBuffer, 299, 100)]
    [InlineData(SendRun.NoControl, 1, 300, 100)]
    [InlineData(0, SendRun.OwnBuffer, 300, 100)]
    public void TryExtend_NotContinuing_IsRefused(int controlIndex, int bufferIndex, int offsetBytes, int lengthBytes)
    {
        SendRun run = NewRun();

        Assert.False(run.TryExtend(in _peer, controlIndex, bufferIndex, offsetBytes, lengthBytes));

        Assert.Equal((1, 100, 100), (run.SegmentCount, run.SegmentBytes, run.LastBytes));
    }

    [Fact]
    public void TryExtend_OtherPeer_IsRefused()
    {
        SendRun run = NewRun();

        Assert.False(run.TryExtend(in _otherPeer, SendRun.NoControl, SendRun.OwnBuffer, 300, 100));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void TryExtend_EmptyRun_IsRefused(int lengthBytes)
    {
        var run = new SendRun(in _peer, SendRun.NoControl, SendRun.OwnBuffer, 200, 0);

        Assert.False(run.TryExtend(in _peer, SendRun.NoControl, SendRun.OwnBuffer, 200, lengthBytes));

        Assert.Equal((1, 0, 0, 0), (run.SegmentCount, run.SegmentBytes, run.LastBytes, run.TotalBytes));
    }

    private static SendRun NewRun() => new(in _peer, SendRun.NoControl, SendRun.OwnBuffer, 200, 100);
}
