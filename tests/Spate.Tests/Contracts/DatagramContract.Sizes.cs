using System.Net.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>From nothing to more than there can be.</summary>
public abstract partial class DatagramContract
{
    private const int MaxIPv4Bytes = 65_507;
    private const int MaxIPv6Bytes = 65_527;

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Transfer_EmptyAmongOthers_AllArriveInOrder(Form form)
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        byte[][] payloads = Payloads.Of(0, 5, 0, 0, 5, 5, 3, 0);

        await SendPayloadsAsync(form, sender, receiver.LocalEndPoint, payloads);
        List<Incoming> received = await ReceiveAllAsync(form, receiver, payloads.Length);

        Assert.Equal(payloads, received.Select(datagram => datagram.Payload));
        Assert.All(received, datagram => Assert.Equal(sender.LocalEndPoint, datagram.Peer));
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Transfer_LargestIPv4_Arrives(Form form)
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();
        byte[][] payloads = Payloads.Of(MaxIPv4Bytes, MaxIPv4Bytes, 1);

        await SendPayloadsAsync(form, sender, receiver.LocalEndPoint, payloads);

        Assert.Equal(payloads, await ReceivePayloadsAsync(form, receiver, payloads.Length));
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Transfer_LargestIPv6_ArrivesOrIsRefusedAsTooLarge(Form form)
    {
        RequireIPv6();
        UdpSocket sender = Bind(UdpEndPoint.IPv6Loopback(0));
        UdpSocket receiver = Bind(UdpEndPoint.IPv6Loopback(0));
        byte[] largest = Payloads.Make(MaxIPv6Bytes, 7);

        SendResult result = await SendAllAsync(form, sender, [new(receiver.LocalEndPoint, largest)]);

        // It needs fragments on any link of up to 65,536 bytes; a kernel may refuse that.
        if (result.Sent == 1) Assert.Equal([largest], await ReceivePayloadsAsync(form, receiver, 1));
        else Assert.Equal(new SendResult(0, 1, 0, SocketError.MessageSize, SendStatus.Done), result);
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Send_TooLargeForIPv4_IsRefusedAndRestGoesOn(Form form)
    {
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback();

        SendResult result = await SendAllAsync(
            form, sender, Payloads.Of(10, MaxIPv4Bytes + 1, 20, 20).To(receiver.LocalEndPoint));

        Assert.Equal(new SendResult(3, 1, 0, SocketError.MessageSize, SendStatus.Done), result);
        Assert.Equal([10, 20, 20], (await ReceivePayloadsAsync(form, receiver, 3)).Select(payload => payload.Length));
        Assert.Equal((3, 1), (sender.GetCounters().DatagramsSent, sender.GetCounters().DatagramsRefused));
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Send_DontFragmentAboveMtu_IsRefusedAndCounted(Form form)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || Wine.IsHere, "the MTU of loopback is Linux's");
        // Loopback's MTU of 65,536 is below the largest IPv6 datagram with its headers of 48 bytes.
        RequireIPv6();
        const int fittingBytes = 65_536 - 48;
        UdpSocket sender = Bind(
            UdpEndPoint.IPv6Loopback(0), Options(fragmentation: UdpFragmentation.DontFragment));
        UdpSocket receiver = Bind(UdpEndPoint.IPv6Loopback(0));

        SendResult result = await SendAllAsync(
            form, sender, Payloads.Of(1, fittingBytes + 1, fittingBytes, 2).To(receiver.LocalEndPoint));

        Assert.Equal(new SendResult(3, 1, 0, SocketError.MessageSize, SendStatus.Done), result);
        List<byte[]> received = await ReceivePayloadsAsync(form, receiver, 3);
        Assert.Equal([1, fittingBytes, 2], received.Select(payload => payload.Length));
        Assert.Equal(1, sender.GetCounters().DatagramsRefused);
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Receive_LongerThanRoom_IsCutFlaggedAndCounted(Form form)
    {
        // Slots of a coalescing socket take any datagram, so only single receives can be too short there.
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback(Options(coalesced: _coalesces && form.IsOne()));
        byte[][] payloads = Payloads.Of(100, 101, 1000, 99);

        await SendPayloadsAsync(form, sender, receiver.LocalEndPoint, payloads);
        List<Incoming> received = await ReceiveAllAsync(form, receiver, 4, slotBytes: 100);

        Assert.Equal([false, true, true, false], received.Select(datagram => datagram.IsTruncated));
        Assert.Equal(payloads.Select(payload => payload.Take(100)), received.Select(datagram => datagram.Payload));
        Assert.Equal(2, receiver.GetCounters().DatagramsTruncated);
    }
}
