using System.Net;
using Spate.Cli.Iperf;
using Spate.Cli.Iperf.Iperf2.Ends;
using Spate.Cli.Iperf.Iperf2.Results;
using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.TestHelpers.Iperf2;

namespace Spate.Tests.Cli.Iperf.Iperf2.Ends;

/// <summary>What a client asks to have sent back, and from whom it takes it.</summary>
public sealed class Iperf2ReverseClientTests
{
    [Theory]
    [InlineData(Iperf2Reverse.Together, "c8010099")]
    [InlineData(Iperf2Reverse.After, "c8010098")]
    internal async Task Run_Asks_AsIperfDoesAndHearsNobodyElse(Iperf2Reverse reverse, string flags)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux has all addresses of 127.0.0.0/8");
        using var server = new HandMadePeer();
        using var stranger = new HandMadePeer(IPAddress.Parse("127.0.0.2"));
        using Iperf2Client client = Iperf2Client.Open(Few(server.EndPoint) with { Reverse = reverse, ListenPort = 0 });
        var observer = new RecordingObserver();
        Task<IReadOnlyList<Iperf2Sent>> run = Task.Factory.StartNew(
            () => client.Run(observer, TestContext.Current.CancellationToken),
            TestContext.Current.CancellationToken,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        var back = UdpEndPoint.Loopback(client.ListeningAt!.Value.Port);
        byte[] payload = server.Receive(out EndPoint from);
        Iperf2Settings asked = Iperf2Settings.Read(payload);

        // The stranger's datagrams lie before the server's in the queue of the one socket.
        foreach (HandMadePeer peer in (HandMadePeer[])[stranger, server])
        {
            peer.Send(HandMadePeer.Datagram(1), back);
            peer.Send(HandMadePeer.Datagram(2), back);
            peer.Send(HandMadePeer.Datagram(-3, length: 128), back);
        }

        byte[] answer = new byte[128];
        Iperf2Answer.Write(answer, new Iperf2ServerReport(1, new IperfCounts(900, 0, 6, 0, 0)));
        server.Answer(answer, from);
        Assert.NotNull(Assert.Single(await run).Report);

        Assert.Equal(flags, Convert.ToHexStringLower(payload.AsSpan(16, 4)));
        Assert.Equal((reverse, back.Port, 150), (asked.Reverse, asked.Port, asked.SizeBytes));
        Assert.Equal((12_000_000, 750), (asked.BitsPerSecond, asked.Amount));
        Assert.Equal(server.EndPoint, observer.TakeFinished().Stream.Remote);
        Assert.Equal(1, client.FlowsBack);
        Assert.Equal(2, observer.Started.Count);
        Assert.False(stranger.HasMore);
    }

    [Theory]
    [InlineData(75, 0)]
    [InlineData(76, -1)]
    [InlineData(76, 65_536)]
    public void Open_AsksInAWayThatCannotBe_IsRefused(int sizeBytes, int listenPort) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => Iperf2Client.Open(Few(UdpEndPoint.Loopback(9)) with
        {
            SizeBytes = sizeBytes,
            Reverse = Iperf2Reverse.After,
            ListenPort = listenPort,
        }));

    private static Iperf2ClientOptions Few(UdpEndPoint server) => new()
    {
        Server = server,
        SizeBytes = 150,
        ByteCount = 5 * 150,
        DatagramsPerSecond = 10_000,
    };
}
