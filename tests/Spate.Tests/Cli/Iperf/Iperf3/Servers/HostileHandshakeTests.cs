using System.Text;
using Spate.TestHelpers.Iperf3;
using static Spate.TestHelpers.Iperf3.HandMadeIperf3Client;

namespace Spate.Tests.Cli.Iperf.Iperf3.Servers;

/// <summary>Connections that are no client's, or a wrong one's: none disturbs the server.</summary>
public sealed class HostileHandshakeTests : IDisposable
{
    private readonly RunningIperf3Server _server = new();

    public void Dispose() => _server.Dispose();

    [Fact]
    public void Conversations_ThatAreWrong_AreEndedAndATestRuns()
    {
        byte[][] sent = [.. WrongBeginnings().Concat(WrongParameters().Select(
            static json => (byte[])[.. CookieBytes, .. Message(json)]))];
        HandMadeIperf3Client[] clients = [.. sent.Select(_ => new HandMadeIperf3Client(_server.EndPoint))];
        for (int i = 0; i < sent.Length; i++) clients[i].Send(sent[i]);

        for (int i = 0; i < sent.Length; i++)
        {
            int[] states = clients[i].ReadToEnd();

            Assert.DoesNotContain(10, states);
            Assert.DoesNotContain(1, states);
            clients[i].Dispose();
        }

        Assert.Empty(_server.Tests);
        _server.RunWholeTest();
    }

    [Theory]
    [InlineData("""{"tcp":true,"time":10}""", 131)]
    [InlineData("""{"sctp":1,"time":10}""", 131)]
    [InlineData("""{"udp":true,"parallel":129}""", 6)]
    [InlineData("""{"udp":true,"len":15}""", 20)]
    [InlineData("""{"udp":true,"time":86401}""", 5)]
    [InlineData("""{"udp":true,"reverse":true,"bidirectional":true}""", 25)]
    [InlineData("""{"udp":true,"server_affinity":1024}""", 132)]
    [InlineData("[]", 114)]
    public void Parameters_ThatCannotBeServed_AreRefusedWithTheirNumber(string json, int code)
    {
        using var client = new HandMadeIperf3Client(_server.EndPoint);
        client.Ask(json);

        Assert.Equal(ServerError, client.ReadState());
        Assert.Equal(code, client.ReadNumber());
        Assert.Equal(0, client.ReadNumber());
    }

    [Fact]
    public void Connections_OfAScannerThatLeavesAtOnce_LeaveTheServerReady()
    {
        for (int i = 0; i < 300; i++)
        {
            new HandMadeIperf3Client(_server.EndPoint).Vanish(resets: i % 2 == 0);
        }

        _server.RunWholeTest();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(12)]
    [InlineData(16)]
    [InlineData(77)]
    [InlineData(0xFF)]
    [InlineData(0xFE)]
    public void State_InsteadOfTheStreams_EndsTheTest(byte state)
    {
        using var client = new HandMadeIperf3Client(_server.EndPoint);
        client.Begin(Parameters());
        client.Send(state);
        client.Control.Shutdown(System.Net.Sockets.SocketShutdown.Send);

        Assert.DoesNotContain(1, client.ReadToEnd());
        Assert.Empty(_server.Tests);
        _server.RunWholeTest();
    }

    [Theory]
    [InlineData(0, "an unexpected message 0")]
    [InlineData(9, "an unexpected message 9")]
    [InlineData(0xFE, "an unexpected message -2")]
    [InlineData(12, "the client has terminated the test")]
    public async Task State_DuringTheData_FailsTheTestOnce(byte state, string fault)
    {
        using var client = new HandMadeIperf3Client(_server.EndPoint);
        client.Run();
        client.Send(state);

        RecordingObserver test = Assert.Single(_server.Tests);
        await test.Ended.WaitAsync(RunningIperf3Server.Patience, TestContext.Current.CancellationToken);
        Assert.Contains(fault, test.Fault, StringComparison.Ordinal);
        Assert.Equal(1, test.EndCount);
    }

    private static IEnumerable<byte[]> WrongBeginnings()
    {
        yield return "GET / HTTP/1.1\r\nHost: localhost:5201\r\n\r\n"u8.ToArray();
        yield return "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n"u8.ToArray();
        yield return new byte[64];
        yield return [.. Enumerable.Repeat((byte)0xFF, 64)];
        yield return [.. Encoding.ASCII.GetBytes(Cookie), (byte)'x'];
        yield return [.. "\u001b]0;owned\u0007"u8, .. CookieBytes.AsSpan(10)];
        yield return [.. CookieBytes, .. Length(0)];
        yield return [.. CookieBytes, .. Length((8 * 1024) + 1)];
        yield return [.. CookieBytes, .. Length(0x8000_0000)];
        yield return [.. CookieBytes, .. Length(uint.MaxValue)];
        yield return [.. CookieBytes, .. Message(new string('{', 8000))];
        yield return [.. CookieBytes, .. Message(new string('[', 8000))];
        yield return [.. CookieBytes, .. Length(4), 0xFF, 0xFE, 0, 0];
    }

    private static IEnumerable<string> WrongParameters() =>
    [
        "null", "7", "\"udp\"", "[]", "{}", "{", "{\"udp\":true", "{\"udp\":true}}", "{\"udp\":true,}",
        """{"udp":"true"}""", """{"udp":[true]}""", """{"udp":null}""", """{"udp":0}""",
        """{"udp":true,"len":"64"}""", """{"udp":true,"len":-1}""", """{"udp":true,"len":1e400}""",
        """{"udp":true,"len":65508}""", """{"udp":true,"parallel":0}""", """{"udp":true,"parallel":{}}""",
        """{"udp":true,"parallel":4294967297}""", """{"udp":true,"time":-1}""", """{"udp":true,"omit":601}""",
        """{"udp":true,"num":-9223372036854775808}""", """{"udp":true,"blockcount":-1}""",
        """{"udp":true,"window":1e300}""", """{"udp":true,"TOS":256}""", """{"udp":true,"burst":1001}""",
        """{"udp":true,"bandwidth":-1}""", """{"udp":true,"server_affinity":99999999999}""",
        """{"udp":true,"title":{"a":[]}}""", """{"udp":true,"title":"\ud800"}""",
        """{"udp":true,"extra":""" + new string('[', 1000) + new string(']', 1000) + "}",
    ];
}
