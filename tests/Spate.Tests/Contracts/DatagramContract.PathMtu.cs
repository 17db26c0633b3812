using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;

namespace Spate.Tests.Contracts;

/// <summary>What a router answers when a datagram is too big for the next link.</summary>
public abstract partial class DatagramContract
{
    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Receive_PathMtuErrorCame_IsCountedAndNoDatagram(Form form)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the error was made on Linux only");
        using Socket router = OpenRaw();
        UdpSocket server = Bind(OwnAddress.New());
        UdpSocket client = Connect(server.LocalEndPoint);
        router.SendTo(FragmentationNeeded(client.LocalEndPoint, server.LocalEndPoint), ToLoopback);
        using ReceiveBatch batch = client.CreateReceiveBatch();

        Eventually(() => FoundNothing() && client.GetCounters().IcmpErrors == 1, "the error was counted");
        SendNow(server, client.LocalEndPoint, [1]);

        Assert.Equal([[1]], await ReceivePayloadsAsync(form, client, 1));
        UdpCounters counters = client.GetCounters();
        Assert.Equal((1, 0, 0), (counters.DatagramsReceived, counters.DatagramsTruncated, counters.UnknownErrors));

        bool FoundNothing()
        {
            ReceiveStatus status = form.IsOne() ? client.TryReceiveFrom(new byte[10], out _) : client.TryReceive(batch);
            Assert.Equal(ReceiveStatus.Empty, status);
            return true;
        }
    }

    [Theory, MemberData(nameof(Forms.All), MemberType = typeof(Forms))]
    public async Task Send_PathMtuErrorCame_NextDatagramIsNotBlamed(Form form)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the error was made on Linux only");
        using Socket router = OpenRaw();
        UdpSocket server = Bind(OwnAddress.New());
        UdpSocket client = Connect(server.LocalEndPoint);
        router.SendTo(FragmentationNeeded(client.LocalEndPoint, server.LocalEndPoint), ToLoopback);

        SendResult result = await SendAllAsync(form, client, [new(default, [1])]);

        Assert.Equal(new SendResult(1, 0, 0, SocketError.Success, SendStatus.Done), result);
        Assert.Equal([[1]], await ReceivePayloadsAsync(form, server, 1));
    }

    [Theory, InlineData(UdpFragmentation.Allowed), InlineData(UdpFragmentation.DontFragment)]
    public async Task Send_DatagramsTooLongForThePath_ShorterOnesLeaveAsBefore(UdpFragmentation fragmentation)
    {
        // MTU 2000 for an address that no other test sends to: the kernel keeps it for minutes.
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the error was made on Linux only");
        using Socket router = OpenRaw();
        byte[] address = [127, (byte)Random.Shared.Next(200, 250), (byte)Random.Shared.Next(256), 8];
        UdpSocket receiver = Bind(new UdpEndPoint(new IPAddress(address), 0));
        UdpSocket sender = BindLoopback(Options(fragmentation: fragmentation));
        byte[][] payloads = Payloads.Same(20, 1400);
        await SendPayloadsAsync(Form.Batch, sender, receiver.LocalEndPoint, payloads);
        UdpCounters first = sender.GetCounters();
        router.SendTo(FragmentationNeeded(sender.LocalEndPoint, receiver.LocalEndPoint, 2000), ToLoopback);
        Eventually(() => PathMtuTo(receiver.LocalEndPoint) == 2000, "the path was narrow");

        bool leave = fragmentation == UdpFragmentation.Allowed;
        List<Outgoing> tooLong = [.. Payloads.Same(2, 3000).Select(one => new Outgoing(receiver.LocalEndPoint, one))];
        SendResult result = await SendAllAsync(Form.Batch, sender, tooLong);
        UdpCounters before = sender.GetCounters();
        await SendPayloadsAsync(Form.Batch, sender, receiver.LocalEndPoint, payloads);

        UdpCounters last = sender.GetCounters();
        Assert.Equal((leave ? 2 : 0, leave ? 0 : 2), (result.Sent, result.Refused));
        Assert.Equal(leave ? SocketError.Success : SocketError.MessageSize, result.FirstError);
        Assert.Equal(first.MessagesSent, last.MessagesSent - before.MessagesSent);
        Assert.Equal(_segments && leave ? 1 : 0, last.GsoFallbacks);
        List<byte[]> received = await ReceivePayloadsAsync(Form.Batch, receiver, leave ? 42 : 40);
        Assert.Equal([.. payloads, .. leave ? Payloads.Same(2, 3000) : [], .. payloads], received);
    }

    private static int PathMtuTo(UdpEndPoint destination)
    {
        // IP_MTU is 14 of SOL_IP, which is 0: of the route of a connected socket (ip.7).
        using Socket probe = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        probe.Connect(destination.ToIPEndPoint());
        byte[] mtuBytes = new byte[sizeof(int)];
        probe.GetRawSocketOption(0, 14, mtuBytes);
        return BitConverter.ToInt32(mtuBytes);
    }

    private static IPEndPoint ToLoopback => new(IPAddress.Loopback, 0);

    private static Socket OpenRaw()
    {
        try
        {
            return new Socket(AddressFamily.InterNetwork, SocketType.Raw, ProtocolType.Icmp);
        }
        catch (SocketException fault)
        {
            Assert.Skip($"a raw socket is needed to answer as a router: {fault.SocketErrorCode}");
            throw;
        }
    }

    /// <summary>RFC 792, type 3 code 4 with the MTU of RFC 1191, about a datagram between two addresses.</summary>
    /// <param name="source">From where the datagram came.</param>
    /// <param name="destination">Where it was to go: an address of this test alone, for the kernel keeps it.</param>
    /// <param name="nextMtuBytes">By default close to loopback's own.</param>
    private static byte[] FragmentationNeeded(
        UdpEndPoint source, UdpEndPoint destination, ushort nextMtuBytes = 60_000)
    {
        byte[] message = new byte[8 + 20 + 8];
        message[0] = 3;
        message[1] = 4;
        BinaryPrimitives.WriteUInt16BigEndian(message.AsSpan(6), nextMtuBytes);
        Span<byte> header = message.AsSpan(8);
        header[0] = 0x45;
        BinaryPrimitives.WriteUInt16BigEndian(header[2..], ushort.MaxValue);
        header[8] = 64;
        header[9] = 17;
        source.Address.TryWriteBytes(header[12..], out _);
        destination.Address.TryWriteBytes(header[16..], out _);
        BinaryPrimitives.WriteUInt16BigEndian(header[20..], (ushort)source.Port);
        BinaryPrimitives.WriteUInt16BigEndian(header[22..], (ushort)destination.Port);
        BinaryPrimitives.WriteUInt16BigEndian(header[24..], 8);
        BinaryPrimitives.WriteUInt16BigEndian(message.AsSpan(2), ChecksumOf(message));
        return message;
    }

    private static ushort ChecksumOf(ReadOnlySpan<byte> message)
    {
        uint sum = 0;
        for (int i = 0; i < message.Length; i += 2) sum += BinaryPrimitives.ReadUInt16BigEndian(message[i..]);
        while (sum > ushort.MaxValue) sum = (sum & ushort.MaxValue) + (sum >> 16);
        return (ushort)~sum;
    }
}
