using Spate.Batching;
using Spate.Buffers;

namespace Spate.Tests.Batching;

/// <summary>How an answer leaves, by what is known of the request.</summary>
public sealed class SendBatchReplyTests
{
    private const int InterfaceIndex = 7;

    [Theory]
    [InlineData("10.0.0.1", "10.0.0.9:5", 0)]
    [InlineData("[2001:db8::1]", "[2001:db8::9]:5", 0)]
    [InlineData("169.254.3.1", "169.254.3.9:5", InterfaceIndex)]
    [InlineData("10.0.0.1", "169.254.3.9:5", InterfaceIndex)]
    [InlineData("[fe80::1%7]", "[fe80::9%7]:5", InterfaceIndex)]
    [InlineData("[febf::1%7]", "[2001:db8::9]:5", InterfaceIndex)]
    [InlineData("[fec0::1]", "[2001:db8::9]:5", 0)]
    public void TryReserveReply_AddressKnown_InterfaceOnlyForLinkLocal(string local, string peer, int interfaceIndex)
    {
        UdpEndPoint address = UdpEndPoint.Parse(local);

        SendControl control = ReplyTo(
            UdpEndPoint.Parse(peer), new() { LocalAddress = address, ReplyAddress = address });

        Assert.Equal(new SendControl { LocalAddress = address, InterfaceIndex = interfaceIndex }, control);
    }

    [Fact]
    public void TryReserveReply_RequestToMany_FromTheReplyAddress()
    {
        UdpEndPoint reply = UdpEndPoint.Parse("10.0.0.1");
        DatagramInfo info = new() { LocalAddress = UdpEndPoint.Parse("10.0.0.255"), ReplyAddress = reply };

        Assert.Equal(new SendControl { LocalAddress = reply }, ReplyTo(UdpEndPoint.Parse("10.0.0.9:5"), info));
        info.ReplyAddress = default;
        Assert.Equal(default, ReplyTo(UdpEndPoint.Parse("10.0.0.9:5"), info));
    }

    private static SendControl ReplyTo(UdpEndPoint peer, DatagramInfo info)
    {
        info.InterfaceIndex = InterfaceIndex;
        using ReceiveBatch requests = new(UdpBackend.Mmsg, slotCount: 1, slotBytes: 100);
        requests.BeginFill();
        requests.HasInfo = true;
        requests.Slots[0].Peer = peer;
        requests.Slots[0].LengthBytes = 1;
        requests.InfoForWriting[0] = info;
        requests.EndFill(1, out _);
        using SendBatch replies = new(UdpBackend.Mmsg, capacity: 1, SendBatch.PayloadBytesMax);
        Assert.True(replies.TryReserveReply(requests[0], 1, out _));
        replies.BeginSend(TrainLimits.Default);
        replies.TryGetControl(replies.Trains[0], out SendControl control);
        return control;
    }
}
