using System.Net;
using System.Net.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>What a socket can be asked to be.</summary>
public abstract partial class DatagramContract
{
    [Fact]
    public void Bind_PortTaken_FailsWithAddressAlreadyInUse()
    {
        UdpSocket first = BindLoopback();

        SocketException fault = Assert.Throws<SocketException>(() => Bind(first.LocalEndPoint));

        Assert.Equal(SocketError.AddressAlreadyInUse, fault.SocketErrorCode);
    }

    [Fact]
    public void Bind_PortTakenByASocketThatDoesNotShare_FailsWithAddressAlreadyInUse()
    {
        RequireReusePort();
        UdpSocket first = BindLoopback();

        SocketException fault = Assert.Throws<SocketException>(
            () => Bind(first.LocalEndPoint, Options(reusePort: true)));

        Assert.Equal(SocketError.AddressAlreadyInUse, fault.SocketErrorCode);
    }

    [Fact]
    public void Bind_AddressOfAnotherMachine_FailsWithAddressNotAvailable()
    {
        Wine.SkipFor("foreign-address");
        // 192.0.2.0/24 is for documentation (RFC 5737).
        SocketException fault = Assert.Throws<SocketException>(() => Bind(new(IPAddress.Parse("192.0.2.1"), 0)));

        Assert.Equal(SocketError.AddressNotAvailable, fault.SocketErrorCode);
    }

    [Fact]
    public async Task ReusePort_TwoSockets_ShareThePeers()
    {
        RequireReusePort();
        UdpSocket first = BindLoopback(Options(reusePort: true));
        UdpSocket second = Bind(first.LocalEndPoint, Options(reusePort: true));
        UdpSocket[] senders = [.. Enumerable.Range(0, 40).Select(_ => BindLoopback())];
        foreach (UdpSocket sender in senders) SendNow(sender, first.LocalEndPoint, [1]);

        HashSet<UdpEndPoint>[] peers = [[], []];
        UdpSocket[] shards = [first, second];
        using ReceiveBatch batch = first.CreateReceiveBatch();
        Eventually(
            () =>
            {
                for (int i = 0; i < 2; i++)
                {
                    if (shards[i].TryReceive(batch) != ReceiveStatus.Received) continue;
                    foreach (Datagram datagram in batch) peers[i].Add(datagram.Peer);
                }

                return peers[0].Count + peers[1].Count == senders.Length;
            },
            "every datagram came to one of the two");

        // By a hash of the addresses: all forty on one side has odds of 2^-39.
        Assert.All(peers, some => Assert.NotEmpty(some));
        await Task.CompletedTask;
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Broadcast_OffOrOn_IsRefusedOrArrives(Form form)
    {
        UdpSocket receiver = Bind(UdpEndPoint.Any(0));
        UdpEndPoint everybody = new(IPAddress.Parse("127.255.255.255"), receiver.LocalEndPoint.Port);
        UdpSocket silent = BindLoopback();
        UdpSocket loud = BindLoopback(Options(broadcast: true));

        SendResult refused = await SendAllAsync(form, silent, Payloads.Same(2, 20).To(everybody));
        await SendPayloadsAsync(form, loud, everybody, Payloads.Same(3, 20));

        Assert.Equal(new SendResult(0, 2, 0, SocketError.AccessDenied, SendStatus.Done), refused);
        List<Incoming> received = await ReceiveAllAsync(form, receiver, 3);
        Assert.All(received, datagram => Assert.Equal(loud.LocalEndPoint, datagram.Peer));
    }

    [Fact]
    public async Task BindToDevice_Loopback_HearsLoopback()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "SO_BINDTODEVICE is a Linux option");
        UdpSocket receiver = Bind(UdpEndPoint.Any(0), Options(device: "lo"));

        await SendPayloadsAsync(Form.Batch, BindLoopback(), UdpEndPoint.Loopback(receiver.LocalEndPoint.Port), [1]);

        Assert.Equal([[1]], await ReceivePayloadsAsync(Form.Batch, receiver, 1));
        Assert.Throws<SocketException>(() => BindLoopback(Options(device: "no-such-device0")));
    }

    [Fact]
    public void BufferBytes_OfASocket_TellWhatWasGranted()
    {
        UdpSocket asked = BindLoopback(Options(receiveBufferBytes: 100_000));
        UdpSocket left = BindLoopback(Options(receiveBufferBytes: null));
        UdpDropUnit unit = _coalesces ? UdpDropUnit.CoalescedBuffers : UdpDropUnit.Datagrams;

        Assert.Equal(100_000, asked.ReceiveBufferBytes);
        Assert.InRange(asked.SendBufferBytes, 1, UdpSocketOptions.DefaultBufferBytes);
        Assert.InRange(left.ReceiveBufferBytes, 1, int.MaxValue);
        Assert.Equal(unit, asked.GetCounters().KernelDropUnit);
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task KernelDrops_ReceiveBufferOverflows_SentIsReceivedPlusDrops(Form form)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux counts the drops of a socket");
        const int sentCount = 600;
        UdpSocket sender = BindLoopback();
        UdpSocket receiver = BindLoopback(Options(coalesced: false, receiveBufferBytes: 20_000));
        await SendPayloadsAsync(form, sender, receiver.LocalEndPoint, Payloads.Same(sentCount, 200));
        using ReceiveBatch batch = receiver.CreateReceiveBatch();
        long received = 0;

        Eventually(
            () =>
            {
                while (receiver.TryReceive(batch) == ReceiveStatus.Received) received += batch.Count;
                return received + receiver.GetCounters().KernelDrops == sentCount;
            },
            "what was received and what was dropped came to what was sent");

        Assert.InRange(receiver.GetCounters().KernelDrops!.Value, 1, sentCount - 1);
        Assert.Equal(received, receiver.GetCounters().DatagramsReceived);
        Assert.Equal(UdpDropUnit.Datagrams, receiver.GetCounters().KernelDropUnit);
    }

    [Fact]
    public void RawOption_SetAndRead_RoundTrips()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the numbers are those of Linux");
        const int solSocket = 1, soPriority = 12;
        UdpSocket socket = BindLoopback();
        byte[] value = new byte[4];

        socket.SetRawSocketOption(solSocket, soPriority, BitConverter.GetBytes(5));

        Assert.Equal(4, socket.GetRawSocketOption(solSocket, soPriority, value));
        Assert.Equal(5, BitConverter.ToInt32(value));
        Assert.Throws<SocketException>(() => socket.GetRawSocketOption(solSocket, 0x7FFF, value));
    }
}
