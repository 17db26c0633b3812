using Spate.Buffers;
using Spate.Segmentation;

namespace Spate.Tests;

/// <summary>What is kept with a datagram on how it is to leave.</summary>
public sealed class SendBatchTests
{
    private const int InterfaceIndex = 7;

    [Theory]
    [InlineData("10.0.0.1", "10.0.0.9:5", 0)]
    [InlineData("2001:db8::1", "[2001:db8::9]:5", 0)]
    [InlineData("169.254.3.1", "169.254.3.9:5", InterfaceIndex)]
    [InlineData("10.0.0.1", "169.254.3.9:5", InterfaceIndex)]
    [InlineData("fe80::1%7", "[fe80::9%7]:5", InterfaceIndex)]
    [InlineData("febf::1%7", "[2001:db8::9]:5", InterfaceIndex)]
    [InlineData("fec0::1", "[2001:db8::9]:5", 0)]
    public void TryReserveReply_AddressKnown_InterfaceOnlyForLinkLocal(string local, string peer, int interfaceIndex)
    {
        UdpAddress address = UdpAddress.Parse(local);

        SendControl control = ReplyTo(
            UdpEndPoint.Parse(peer), new() { LocalAddress = address, ReplyAddress = address });

        Assert.Equal(
            new SendControl { LocalAddress = address, InterfaceIndex = interfaceIndex > 0 ? interfaceIndex : null },
            control);
    }

    [Fact]
    public void TryReserveReply_RequestToMany_FromTheReplyAddress()
    {
        UdpAddress reply = UdpAddress.Parse("10.0.0.1");
        DatagramInfo info = new() { LocalAddress = UdpAddress.Parse("10.0.0.255"), ReplyAddress = reply };

        Assert.Equal(new SendControl { LocalAddress = reply }, ReplyTo(UdpEndPoint.Parse("10.0.0.9:5"), info));
        info.ReplyAddress = default;
        Assert.Equal(default, ReplyTo(UdpEndPoint.Parse("10.0.0.9:5"), info));
    }

    [Fact]
    public void TryReserve_NoRoom_ControlIsNotKept()
    {
        using SendBatch batch = NewBatch(capacity: 1);
        UdpEndPoint peer = UdpEndPoint.Parse("10.0.0.9:5");
        SendControl control = new() { TrafficClass = 1 };
        Assert.True(batch.TryAdd([1], peer));

        Assert.False(batch.TryReserve(peer, control, 1, out Span<byte> payload));

        Assert.Equal((0, 1), (payload.Length, batch.Count));
        Assert.False(batch.Queue.HasControls);
        batch.Clear();
        Assert.Throws<ArgumentOutOfRangeException>(() => batch.TryReserve(peer, control, -1, out _));
        Assert.False(batch.Queue.HasControls);
        batch.Dispose();
        Assert.Throws<ObjectDisposedException>(() => batch.TryReserve(peer, control, 1, out _));
        Assert.False(batch.Queue.HasControls);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(int.MinValue)]
    [InlineData(SendBatch.MaxPayloadBytes + 1)]
    public void TryReserve_LengthImpossibleAfterTrim_ChangesNothing(int length)
    {
        using SendBatch batch = NewBatch(capacity: 4);
        UdpEndPoint peer = UdpEndPoint.Parse("10.0.0.9:5");
        Assert.True(batch.TryReserve(peer, 100, out _));
        batch.Trim(50);

        Assert.Throws<ArgumentOutOfRangeException>(() => batch.TryReserve(peer, length, out _));

        Assert.Equal(1, batch.Count);
        batch.Trim(40);
        batch.Queue.Plan.Begin();
        GsoMessage message = Assert.Single(batch.Queue.Plan.Messages.ToArray());
        Assert.Equal((1, 40), (message.SegmentCount, message.TotalBytes));
    }

    [Theory]
    [InlineData("10.0.0.1", "[2001:db8::9]:5")]
    [InlineData("2001:db8::1", "10.0.0.9:5")]
    [InlineData("2001:db8::1", "[::ffff:10.0.0.9]:5")]
    public void TryReserve_LocalAddressOfOtherFamily_ThrowsAndChangesNothing(string local, string peer)
    {
        using SendBatch batch = NewBatch(capacity: 4);
        UdpEndPoint remote = UdpEndPoint.Parse(peer);
        SendControl control = new() { LocalAddress = UdpAddress.Parse(local) };

        ArgumentException fault = Assert.Throws<ArgumentException>(
            () => batch.TryReserve(remote, control, 1, out _));

        Assert.Equal(
            $"The local address {control.LocalAddress} is not of the family of the peer {remote}: give one that is, or "
            + "none. (Parameter 'control')", fault.Message);
        Assert.Equal(0, batch.Count);
        Assert.False(batch.Queue.HasControls);

        // Whose peer only the connected socket knows.
        Assert.True(batch.TryReserve(default, control, 1, out _));
        Assert.Contains(
            $"family of the peer {remote}",
            Assert.Throws<InvalidOperationException>(() => batch.Queue.RequireSuiting(remote)).Message,
            StringComparison.Ordinal);
        Assert.Equal(1, batch.Count);
        batch.Queue.RequireSuiting(new UdpEndPoint(control.LocalAddress, 5));
    }

    [Fact]
    public void TryForward_Refused_ReservationCanStillBeTrimmed()
    {
        using ReceiveBatch received = new(UdpBackend.Mmsg, new ReceiveSlots(1, slotBytes: 100, bufferBytes: 100));
        Fill(received);
        using SendBatch batch = NewBatch(capacity: 3);
        UdpEndPoint peer = UdpEndPoint.Parse("10.0.0.9:5");
        Assert.True(batch.TryForward(received[0], peer));
        Datagram earlier = received[0];
        Fill(received);
        Assert.True(batch.TryReserve(peer, 100, out _));
        string? message = null;
        try
        {
            batch.TryForward(earlier, peer);
        }
        catch (InvalidOperationException fault)
        {
            message = fault.Message;
        }

        Assert.Contains("of an earlier receive", message, StringComparison.Ordinal);
        batch.Trim(50);
        Assert.True(batch.TryReserve(peer, 100, out _));
        Assert.False(batch.TryForward(received[0], peer));
        batch.Trim(50);
        Assert.False(received.Slots.BufferOf(0).IsShared);
    }

    private static SendBatch NewBatch(int capacity) =>
        new(new SendQueue(GsoLimits.Default, capacity, SendBatch.MaxPayloadBytes));

    private static void Fill(ReceiveBatch batch)
    {
        batch.Slots.Begin();
        batch.Slots.All[0].LengthBytes = 1;
        batch.Slots.Complete(1);
    }

    private static SendControl ReplyTo(UdpEndPoint peer, DatagramInfo info)
    {
        info.InterfaceIndex = InterfaceIndex;
        ReceiveSlots slots = new(1, slotBytes: 100, bufferBytes: 100) { HasInfo = true };
        using ReceiveBatch requests = new(UdpBackend.Mmsg, slots);
        slots.All[0].Peer = peer;
        slots.All[0].LengthBytes = 1;
        slots.InfoForWriting[0] = info;
        slots.Complete(1);
        using SendBatch replies = NewBatch(capacity: 1);
        Assert.True(replies.TryReserveReply(requests[0], 1, out _));
        replies.Queue.Plan.Begin();
        int controlIndex = replies.Queue.Plan.Messages[0].ControlIndex;
        return controlIndex == SendRun.NoControl ? default : replies.Queue.ControlAt(controlIndex);
    }
}
