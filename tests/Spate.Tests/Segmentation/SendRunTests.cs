using System.Net;
using Spate.Segmentation;

namespace Spate.Tests.Segmentation;

public sealed class SendRunTests
{
    private static readonly UdpEndPoint Peer = new(IPAddress.Loopback, 9000);
    private static readonly UdpEndPoint OtherPeer = new(IPAddress.Loopback, 9001);
    private static readonly byte[] Buffer = new byte[1];

    [Fact]
    public void TryExtend_SameSizeBehind_Extends()
    {
        SendRun run = NewRun();

        Assert.True(run.TryExtend(in Peer, SendRun.NoControl, Buffer, 300, 100));

        Assert.Equal((2, 100, 100), (run.SegmentCount, run.SegmentBytes, run.LastBytes));
    }

    [Fact]
    public void TryExtend_ShorterBehind_ExtendsAndCloses()
    {
        SendRun run = NewRun();

        Assert.True(run.TryExtend(in Peer, SendRun.NoControl, Buffer, 300, 1));

        Assert.Equal((2, 100, 1), (run.SegmentCount, run.SegmentBytes, run.LastBytes));
        Assert.False(run.TryExtend(in Peer, SendRun.NoControl, Buffer, 301, 1));
        Assert.False(run.TryExtend(in Peer, SendRun.NoControl, Buffer, 301, 100));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(101)]
    public void TryExtend_LastOfAnyOtherSize_ExtendsAndCloses(int lengthBytes)
    {
        SendRun run = NewRun();

        Assert.True(run.TryExtend(in Peer, SendRun.NoControl, Buffer, 300, lengthBytes));

        Assert.Equal((2, 100, lengthBytes), (run.SegmentCount, run.SegmentBytes, run.LastBytes));
        Assert.False(run.TryExtend(in Peer, SendRun.NoControl, Buffer, 300 + lengthBytes, 100));
        Assert.False(run.TryExtend(in Peer, SendRun.NoControl, Buffer, 400, 100));
    }

    [Fact]
    public void Trim_ToTheSizeOfTheOthers_GoesOn()
    {
        SendRun run = NewRun();
        Assert.True(run.TryExtend(in Peer, SendRun.NoControl, Buffer, 300, 500));

        run.Trim(100);

        Assert.True(run.TryExtend(in Peer, SendRun.NoControl, Buffer, 400, 500));
        Assert.Equal((3, 100, 500), (run.SegmentCount, run.SegmentBytes, run.LastBytes));
    }

    [Fact]
    public void Trim_OnlyDatagram_OthersMayBeAsLarge()
    {
        SendRun run = NewRun();
        run.LimitBytes = 1000;

        run.Trim(40);

        Assert.Equal((1, 40, 40, SendRun.NoLimit), (run.SegmentCount, run.SegmentBytes, run.LastBytes, run.LimitBytes));
        Assert.True(run.TryExtend(in Peer, SendRun.NoControl, Buffer, 240, 40));
    }

    [Theory]
    [InlineData(SendRun.NoControl, true, 301)]
    [InlineData(SendRun.NoControl, true, 299)]
    [InlineData(SendRun.NoControl, false, 300)]
    [InlineData(0, true, 300)]
    public void TryExtend_NotContinuing_IsRefused(int controlIndex, bool isSameBuffer, int offsetBytes)
    {
        SendRun run = NewRun();
        byte[] buffer = isSameBuffer ? Buffer : new byte[1];

        Assert.False(run.TryExtend(in Peer, controlIndex, buffer, offsetBytes, 100));

        Assert.Equal((1, 100, 100), (run.SegmentCount, run.SegmentBytes, run.LastBytes));
    }

    [Fact]
    public void TryExtend_OtherPeer_IsRefused()
    {
        SendRun run = NewRun();

        Assert.False(run.TryExtend(in OtherPeer, SendRun.NoControl, Buffer, 300, 100));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void TryExtend_EmptyRun_IsRefused(int lengthBytes)
    {
        SendRun run = default;
        run.Start(in Peer, SendRun.NoControl, Buffer, 200, 0);

        Assert.False(run.TryExtend(in Peer, SendRun.NoControl, Buffer, 200, lengthBytes));

        Assert.Equal((1, 0, 0), (run.SegmentCount, run.SegmentBytes, run.LastBytes));
    }

    private static SendRun NewRun()
    {
        SendRun run = default;
        run.Start(in Peer, SendRun.NoControl, Buffer, 200, 100);
        return run;
    }
}
