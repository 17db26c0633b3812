using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using Spate.Cli.Serve;
using Spate.Measurement.Traffic;
using Spate.Serving;
using static Spate.Tests.Cli.Serve.EchoRun;

namespace Spate.Tests.Cli.Serve;

/// <summary>Forged datagrams make two echo servers each other's peer; every exchange ends by itself.</summary>
public sealed class EchoLoopTests
{
    private const int ForgedCount = 50;
    private const int TimeToLive = 64;
    private const int UdpHeaderBytes = 8;

    // From <linux/in6.h>: where the checksum lies that the kernel fills in.
    private const int IPv6Level = 41;
    private const int IPv6Checksum = 7;

    public static TheoryData<UdpServerDesign, string> DesignsAndAddresses
    {
        get
        {
            TheoryData<UdpServerDesign, string> data = [];
            foreach (UdpServerDesign design in ServerDesigns.All) data.Add(design, "127.0.0.1");
            data.Add(UdpServerDesign.Sharded, "::1");
            data.Add(UdpServerDesign.Sharded, "::");
            return data;
        }
    }

    [Theory, MemberData(nameof(DesignsAndAddresses))]
    public async Task Echo_TwoServers_TimeToLiveEndsTheLoop(UdpServerDesign design, string address)
    {
        ServeOptions options = OptionsAt(address) with { Design = ServerDesign.Of(design), AnswersPerPeer = null };
        Assert.SkipUnless(options.LowersTimeToLive, "the backend does not report the time to live");
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "raw sockets need root");
        using EchoRun first = new(options);
        using EchoRun second = new(options);

        // At a dual-stack server the forged datagrams are of IPv4.
        IPAddress loopback = address is "::1" ? IPAddress.IPv6Loopback : IPAddress.Loopback;
        Forge(loopback, fromPort: second.Port, toPort: first.Port);
        Wait.Until(() => first.Datagrams + second.Datagrams >= ForgedCount * TimeToLive);
        ServeReport[] reports = [await first.StopAsync(), await second.StopAsync()];

        // The first server gets 64 and answers with 63; the datagram that comes with 1 is not answered.
        Assert.Equal(ForgedCount * (TimeToLive - 1), reports.Sum(static report => report.Sent));
        Assert.Equal(ForgedCount, reports.Sum(static report => report.WornOut));
        Assert.All(reports, static report => Assert.Equal(report.WornOut, report.Unanswered));
    }

    [Fact]
    public async Task Echo_ForeignServer_AnswersPerPeerEndTheLoop()
    {
        const int answers = 1000;
        using EchoRun server = new(OptionsAt("127.0.0.1") with { AnswersPerPeer = answers, ThreadCount = 1 });
        using var foreign = new ForeignEcho();

        for (int i = 0; i < ForgedCount; i++) foreign.Send([(byte)i, 1, 2, 3], server.Port);
        Wait.Until(() => server.Datagrams - server.Answers >= ForgedCount);
        ServeReport report = await server.StopAsync();

        Assert.Equal((ForgedCount, ForgedCount), (report.AnswersWithheld, report.Unanswered));
        Assert.Equal(answers, report.AnswersPerPeer);

        // A datagram that was held up for more than the pause may have got answers of the next grant.
        Assert.InRange(report.Sent, answers, 3 * answers);
    }

    [Theory]
    [InlineData(ServeOptions.DefaultAnswersPerPeer, 100_000)]
    [InlineData(null, 3000)]
    [InlineData(3000, 3000)]
    public async Task Echo_ClientRepeatsOnePayload_GetsAllAnswers(int? answersPerPeer, int requestCount)
    {
        using EchoRun server = new(OptionsAt("127.0.0.1") with { AnswersPerPeer = answersPerPeer, ThreadCount = 1 });
        using Socket client = Bind();
        var target = new IPEndPoint(IPAddress.Loopback, server.Port);
        byte[] payload = [1, 2, 3, 4];
        byte[] answer = new byte[100];
        for (int sent = 0, received = 0; received < requestCount; received++)
        {
            // As many on the way as no buffer loses.
            for (; sent < requestCount && sent - received < 32; sent++) client.SendTo(payload, target);
            Assert.Equal(payload.Length, client.Receive(answer));
        }

        ServeReport report = await server.StopAsync();

        Assert.Equal((requestCount, 0), (report.Sent, report.Unanswered));
        Assert.Equal(answersPerPeer, report.AnswersPerPeer);
    }

    [Fact]
    public async Task Echo_StreamOfTheGenerator_IsFree()
    {
        const int count = 5000;
        const int announcements = 5;
        using EchoRun server = new(OptionsAt("127.0.0.1") with { AnswersPerPeer = announcements + 1 });
        using TrafficSender sender = TrafficSender.Open(new TrafficSenderOptions
        {
            Targets = [UdpEndPoint.Loopback(server.Port)],
            SizeBytes = 64,
            DatagramCount = count,
            DatagramsPerSecond = 20_000,
        });

        sender.Run(cancellationToken: TestContext.Current.CancellationToken);
        Wait.Until(() => server.Datagrams >= count + announcements);
        ServeReport report = await server.StopAsync();

        Assert.Equal((count + announcements, 0), (report.Sent, report.AnswersWithheld));
    }

    [Theory]
    [InlineData(255, 64)]
    [InlineData(66, 64)]
    [InlineData(64, 63)]
    [InlineData(2, 1)]
    public async Task Echo_GsoMessage_AnswersHaveALowerTimeToLive(int sent, int answered)
    {
        const int count = 40;
        using EchoRun server = new(OptionsAt("127.0.0.1") with { ThreadCount = 1 });
        using UdpSocket client = BindWithTimeToLive(sent);
        using SendBatch message = client.CreateSendBatch();
        for (int i = 0; i < count; i++) Assert.True(message.TryAdd([(byte)i, 7], UdpEndPoint.Loopback(server.Port)));

        Assert.Equal(count, client.Send(message).Sent);
        byte[] answer = new byte[10];
        for (int i = 0; i < count; i++)
        {
            Assert.Equal(ReceiveStatus.Received, client.ReceiveFrom(answer, out ReceivedDatagram datagram));
            Assert.Equal((i, answered), (answer[0], datagram.TimeToLive ?? -1));
        }

        ServeReport report = await server.StopAsync();
        Assert.Equal((count, 0), (report.Sent, report.Unanswered));
    }

    [Fact]
    public async Task Echo_TimeToLiveOfOne_IsNotAnsweredAndCounted()
    {
        using EchoRun server = new(OptionsAt("127.0.0.1") with { ThreadCount = 1 });
        using UdpSocket client = BindWithTimeToLive(1);

        client.SendTo([1], UdpEndPoint.Loopback(server.Port));
        Wait.Until(() => server.Datagrams == 1);
        ServeReport report = await server.StopAsync();

        Assert.Equal((1, 1, 0), (report.WornOut, report.Unanswered, report.Sent));
    }

    private static UdpSocket BindWithTimeToLive(int timeToLive)
    {
        var options = new UdpSocketOptions { TimeToLive = timeToLive, Metadata = UdpMetadata.TimeToLive };
        try
        {
            return UdpSocket.Bind(UdpEndPoint.Loopback(0), options);
        }
        catch (PlatformNotSupportedException)
        {
            Assert.Skip("the backend does not report the time to live");
            throw;
        }
    }

    private static Socket Bind()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp)
        {
            ReceiveTimeout = 60_000,
        };
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    /// <summary>Sends datagrams whose source is the address and port of another program.</summary>
    private static void Forge(IPAddress loopback, int fromPort, int toPort)
    {
        using var raw = new Socket(loopback.AddressFamily, SocketType.Raw, ProtocolType.Udp) { Ttl = TimeToLive };
        raw.Bind(new IPEndPoint(loopback, 0));
        if (loopback.AddressFamily == AddressFamily.InterNetworkV6)
        {
            raw.SetRawSocketOption(IPv6Level, IPv6Checksum, BitConverter.GetBytes(UdpHeaderBytes - sizeof(ushort)));
        }

        byte[] datagram = new byte[UdpHeaderBytes + 4];
        BinaryPrimitives.WriteUInt16BigEndian(datagram, (ushort)fromPort);
        BinaryPrimitives.WriteUInt16BigEndian(datagram.AsSpan(2), (ushort)toPort);
        BinaryPrimitives.WriteUInt16BigEndian(datagram.AsSpan(4), (ushort)datagram.Length);
        for (int i = 0; i < ForgedCount; i++)
        {
            datagram[UdpHeaderBytes] = (byte)i;
            raw.SendTo(datagram, new IPEndPoint(loopback, 0));
        }
    }
}
