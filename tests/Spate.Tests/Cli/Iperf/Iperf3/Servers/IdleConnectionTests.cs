using Spate.TestHelpers.Iperf3;
using static Spate.TestHelpers.Iperf3.HandMadeIperf3Client;

namespace Spate.Tests.Cli.Iperf.Iperf3.Servers;

/// <summary>Connections that stay silent at some point take no place of a test.</summary>
public sealed class IdleConnectionTests
{
    // In sum the two bounds of silence: of a message, and of a client that was refused and does not close.
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(500);

    [Theory]
    [InlineData(100)]
    [InlineData(600)]
    public void Run_BesideIdleConnections_IsServed(int count)
    {
        using var server = new RunningIperf3Server();
        HandMadeIperf3Client[] idle = [.. Enumerable.Range(0, count).Select(i => Idle(server, i))];

        server.RunWholeTest();

        Array.ForEach(idle, static one => one.Dispose());
    }

    [Theory]
    [InlineData("")]
    [InlineData("cookie")]
    [InlineData("length")]
    [InlineData("json")]
    [InlineData("streams")]
    [InlineData("half")]
    public void Client_SilentFromSomePoint_IsLeftAlone(string point)
    {
        var time = new FakeTime();
        using var server = new RunningIperf3Server(time: time);
        using var client = new HandMadeIperf3Client(server.EndPoint);
        switch (point)
        {
            case "cookie":
                client.Send(CookieBytes[..20]);
                break;
            case "length":
                client.Send([.. CookieBytes, 0, 0]);
                break;
            case "json":
                client.Send([.. CookieBytes, .. Message(Parameters())[..10]]);
                break;
            case "streams":
                client.Begin(Parameters());
                break;
            case "half":
                client.Begin(Parameters(streams: 2));
                client.OpenStream();
                break;
        }

        Assert.True(EndsWhile(client, () => time.Advance(Step)));
        Assert.Empty(server.Tests);
    }

    [Fact]
    public void Client_ThatSendsAByteNowAndThen_IsLeftAlone()
    {
        var time = new FakeTime();
        using var server = new RunningIperf3Server(time: time);
        using var client = new HandMadeIperf3Client(server.EndPoint);
        client.Send(CookieBytes);
        Assert.Equal(9, client.ReadState());
        client.Send(Length(8192));

        Assert.True(EndsWhile(client, () =>
        {
            time.Advance(Step);
            try
            {
                client.Send((byte)' ');
            }
            catch (System.Net.Sockets.SocketException)
            {
                // It has been left.
            }
        }));
    }

    private static HandMadeIperf3Client Idle(RunningIperf3Server server, int i)
    {
        var client = new HandMadeIperf3Client(server.EndPoint);
        if (i % 3 == 1) client.Send(CookieBytes[..(i % 37)]);
        if (i % 3 == 2) client.Send([.. CookieBytes, 0, 0, 1]);
        return client;
    }

    /// <summary>Reads what the server sends, and does something again and again until the connection ends.</summary>
    private static bool EndsWhile(HandMadeIperf3Client client, Action act)
    {
        client.Control.Blocking = false;
        byte[] buffer = new byte[64];
        return SpinWait.SpinUntil(
            () =>
            {
                act();
                if (!client.Control.Poll(TimeSpan.FromMilliseconds(5), System.Net.Sockets.SelectMode.SelectRead))
                {
                    return false;
                }

                int read = client.Control.Receive(
                    buffer, System.Net.Sockets.SocketFlags.None, out System.Net.Sockets.SocketError error);
                return read == 0 && error != System.Net.Sockets.SocketError.WouldBlock;
            },
            RunningIperf3Server.Patience);
    }
}
