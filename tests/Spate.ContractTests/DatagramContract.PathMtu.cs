using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;

namespace Spate.ContractTests;

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
            Assert.Equal(ReceiveStatus.TimedOut, status);
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
    private static byte[] FragmentationNeeded(UdpEndPoint source, UdpEndPoint destination)
    {
        // Close to loopback's own, since the kernel keeps it for the destination, an address that only this test uses.
        const ushort nextMtuBytes = 60_000;
        byte[] message = new byte[8 + 20 + 8];
        message[0] = 3;
        message[1] = 4;
        BinaryPrimitives.WriteUInt16BigEndian(message.AsSpan(6), nextMtuBytes);
        Span<byte> header = message.AsSpan(8);
        header[0] = 0x45;
        BinaryPrimitives.WriteUInt16BigEndian(header[2..], ushort.MaxValue);
        header[8] = 64;
        header[9] = 17;
        source.TryWriteAddressBytes(header[12..], out _);
        destination.TryWriteAddressBytes(header[16..], out _);
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
