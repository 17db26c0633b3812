using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Servers;
using Spate.TestHelpers.Iperf3;
using static Spate.TestHelpers.Iperf3.HandMadeIperf3Client;

namespace Spate.Tests.Cli.Iperf.Iperf3.Servers;

/// <summary>What comes to the port of the streams, by whom it may.</summary>
public sealed class HostileStreamTests : IDisposable
{
    private readonly RunningIperf3Server _server = new();
    private readonly HandMadeIperf3Client _client;

    public HostileStreamTests() => _client = new HandMadeIperf3Client(_server.EndPoint);

    public void Dispose()
    {
        _client.Dispose();
        _server.Dispose();
    }

    [Fact]
    public async Task Requests_OfOtherAddresses_BindNothing()
    {
        const int streams = 101;
        const int strangersPerStream = 100;
        Assert.SkipUnless(OperatingSystem.IsLinux(), "all of 127.0.0.0/8 must be the loopback");
        Socket[] strangers = [.. Enumerable.Range(2, 8).Select(
            i => _client.NewStream(new IPAddress([127, 0, 0, (byte)i])))];
        _client.Begin(Parameters(streams));
        int spoofed = 0;
        for (int i = 0; i < streams; i++)
        {
            for (int j = 0; j < strangersPerStream; j++)
            {
                byte[] request = j % 2 == 0 ? "9876"u8.ToArray() : Datagram(0);
                strangers[spoofed++ % strangers.Length].Send(request);
            }

            // Its answer shows that what came before was read.
            Assert.Equal("6789"u8.ToArray(), _client.OpenStream());
        }

        Assert.InRange(spoofed, 10_000, int.MaxValue);
        Assert.All(strangers, static one => Assert.Equal(0, one.Available));
        Assert.Equal(1, _client.ReadState());
        Assert.Equal(2, _client.ReadState());
        Iperf3Test test = await Assert.Single(_server.Tests).Started;
        Assert.Equal(
            _client.Streams.Skip(strangers.Length).Select(static one => one.LocalEndPoint),
            test.Streams.Select(static one => one.Remote.ToIPEndPoint()));
    }

    [Fact]
    public async Task Data_OfAnEarlierTest_BindsNothing()
    {
        _client.Begin(Parameters());
        Socket earlier = _client.NewStream();
        for (uint counter = 1; counter <= 100; counter++) earlier.Send(Datagram(counter));
        earlier.Send(new byte[3]);
        earlier.Send(new byte[5]);
        earlier.Send(new byte[LengthBytes - 1]);
        earlier.Send(Array.Empty<byte>());

        Assert.Equal("6789"u8.ToArray(), _client.OpenStream());
        Assert.Equal(1, _client.ReadState());
        Iperf3Test test = await Assert.Single(_server.Tests).Started;
        Assert.Equal(_client.Streams[1].LocalEndPoint, Assert.Single(test.Streams).Remote.ToIPEndPoint());
    }

    [Fact]
    public async Task Requests_OfManyPortsAtOnce_BindAsManyAsWereAskedFor()
    {
        const int streams = 5;
        const int ports = 100;
        _client.Begin(Parameters(streams));
        for (int i = 0; i < ports; i++) _ = _client.NewStream();
        Parallel.ForEach(_client.Streams, static one => one.Send("9876"u8));

        Assert.Equal(1, _client.ReadState());
        Iperf3Test test = await Assert.Single(_server.Tests).Started;
        Assert.Equal([1, 3, 4, 5, 6], test.Streams.Select(static one => one.Number));
        Assert.Equal(streams, test.Streams.Select(static one => one.Remote).Distinct().Count());
    }

    [Theory]
    [InlineData("9876", "6789")]
    [InlineData("6789", "9876")]
    [InlineData("\u0015\u00cd\u005b\u0007", "\u00b1\u0068\u00de\u003a")]
    [InlineData("\0\0\0\0", "6789")]
    public void Request_OfEveryRelease_GetsItsAnswer(string request, string answer)
    {
        _client.Begin(Parameters());

        Assert.Equal(answer.Select(static one => (byte)one), _client.OpenStream(request));
        Assert.Equal(1, _client.ReadState());
    }

    [Fact]
    public void Request_Repeated_IsAnsweredAgain()
    {
        _client.Begin(Parameters(streams: 2));
        _client.OpenStream();
        for (int i = 0; i < 3; i++)
        {
            _client.Streams[0].Send(i == 1 ? Datagram(0) : "9876"u8.ToArray());

            Assert.Equal("6789"u8.ToArray(), Read(_client.Streams[0]));
        }

        _client.OpenStream();
        Assert.Equal(1, _client.ReadState());
    }

    [Theory]
    [InlineData(9000)]
    [InlineData(65_507)]
    public void Request_LostAndRepeatedAsALongDatagram_IsAnswered(int lengthBytes)
    {
        _client.Begin(Parameters(more: string.Create(CultureInfo.InvariantCulture, $",\"len\":{lengthBytes}")));
        Socket stream = _client.NewStream();
        stream.Send(new byte[lengthBytes]);

        Assert.Equal("6789"u8.ToArray(), Read(stream));
        Assert.Equal(1, _client.ReadState());
    }

    [Fact]
    public void Request_RepeatedByAClientThatWaitsForItsTurn_IsAnsweredAgain()
    {
        using var server = new RunningIperf3Server(new Iperf3ServerOptions { QueueLength = 1 });
        using var running = new HandMadeIperf3Client(server.EndPoint);
        running.Run();
        using var waiting = new HandMadeIperf3Client(server.EndPoint);
        waiting.Begin(Parameters());
        waiting.OpenStream();
        for (int i = 0; i < 3; i++)
        {
            waiting.Streams[0].Send(Datagram(0));

            Assert.Equal("6789"u8.ToArray(), Read(waiting.Streams[0]));
        }

        running.Vanish(resets: false);
        Assert.Equal(1, waiting.ReadState());
    }

    [Fact]
    public void Client_WhileAnotherOfItsAddressOpensNoStreams_GetsItsTurnSoon()
    {
        var time = new FakeTime();
        using var server = new RunningIperf3Server(time: time);
        using var silent = new HandMadeIperf3Client(server.EndPoint);
        silent.Begin(Parameters(streams: 2));
        silent.OpenStream();
        using var next = new HandMadeIperf3Client(server.EndPoint);
        next.Ask(Parameters());
        Assert.False(next.Control.Poll(TimeSpan.FromMilliseconds(100), SelectMode.SelectRead));

        time.Advance(TimeSpan.FromSeconds(4));
        Assert.True(SpinWait.SpinUntil(
            () =>
            {
                time.Advance(TimeSpan.FromMilliseconds(20));
                return next.Control.Poll(TimeSpan.FromMilliseconds(10), SelectMode.SelectRead);
            },
            RunningIperf3Server.Patience));

        Assert.Equal(ServerError, silent.ReadState());
        Assert.Equal(204, silent.ReadNumber());
        Assert.Equal(10, next.ReadState());
        next.OpenStream();
        Assert.Equal(1, next.ReadState());
    }

    [Fact]
    public void Client_WhoseStreamsComeSlowly_IsWaitedFor()
    {
        const int streams = 4;
        var time = new FakeTime();
        using var server = new RunningIperf3Server(time: time);
        using var client = new HandMadeIperf3Client(server.EndPoint);
        client.Begin(Parameters(streams));
        for (int i = 0; i < streams; i++)
        {
            time.Advance(TimeSpan.FromSeconds(5));
            client.OpenStream();
        }

        Assert.Equal(1, client.ReadState());
    }
}
