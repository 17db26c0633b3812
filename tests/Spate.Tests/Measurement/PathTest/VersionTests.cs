using Spate.Measurement.Counting;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.PathTest;

/// <summary>The two ends agree on the newest version of the datagrams that both know.</summary>
public sealed class VersionTests
{
    [Theory]
    [InlineData(1, 31, 1)]
    [InlineData(2, 24, 2)]
    [InlineData(2, 32, 2)]
    [InlineData(3, 1380, 2)]
    [InlineData(255, 1380, 2)]
    public void Server_VersionOffered_AnswersTheNewestThatBothKnow(byte offered, int sizeBytes, byte answered)
    {
        using var server = new RunningServer();
        using var client = new HandMadeClient(server.EndPoint);

        ControlMessage answer = Ask(client, offered, sizeBytes);

        Assert.Equal(ControlKind.Accept, answer.Kind);
        Assert.Equal(answered, HandshakeBodies.VersionOfAccept(answer.Body));
    }

    [Theory]
    [InlineData(0, 24)]
    [InlineData(1, 32)]
    public void Server_VersionTooOldForTheSize_RefusesAndNamesASize(byte offered, int sizeBytes)
    {
        using var server = new RunningServer();
        using var client = new HandMadeClient(server.EndPoint);

        ControlMessage answer = Ask(client, offered, sizeBytes);

        Assert.Equal(ControlKind.Refuse, answer.Kind);
        Assert.Equal(
            $"datagrams of {sizeBytes} bytes have version {TestDatagram.VersionOf(sizeBytes)}, and the client knows "
            + $"version {offered}: request 24 to 31 bytes",
            HandshakeBodies.TextOfRefusal(answer.Body));
    }

    [Theory]
    [InlineData(3, 64)]
    [InlineData(1, 64)]
    [InlineData(0, 24)]
    public void Client_AnsweredWithAVersionThatCannotBe_Refuses(byte answered, int sizeBytes)
    {
        using var server = new HandMadeServer { Version = answered };

        TrafficException fault = Assert.Throws<TrafficException>(() => TestClient.Connect(
            new TestClientOptions
            {
                Servers = [server.EndPoint],
                Parameters = new TestParameters { SizeBytes = sizeBytes },
            },
            cancellationToken: TestContext.Current.CancellationToken));

        Assert.Contains($"answered with version {answered} of the datagrams", fault.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Tags_CoverTheVersion()
    {
        var key = new TestKey("0123456789abcdef"u8);
        byte[] nonce = new byte[HandshakeBodies.NonceBytes];
        byte[] request = HandshakeBodies.Request(nonce, new byte[AddressCookies.CookieBytes], [], key);
        byte[] accept = HandshakeBodies.Accept(nonce, token: 1, TestDatagram.MaxVersion, [], key);
        Assert.True(HandshakeBodies.IsRequestRight(request, key));
        Assert.True(HandshakeBodies.IsAcceptRight(accept, 1, key));

        request[HandshakeBodies.RequestBytes - 1]--;
        accept[HandshakeBodies.AcceptBytes - 1]--;

        Assert.False(HandshakeBodies.IsRequestRight(request, key));
        Assert.False(HandshakeBodies.IsAcceptRight(accept, 1, key));
    }

    private static ControlMessage Ask(HandMadeClient client, byte version, int sizeBytes)
    {
        byte[] request = client.Request(
            client.Cookie(), new TestParameters { SizeBytes = sizeBytes }, version: version);
        Assert.True(ControlMessage.TryRead(client.Ask(request), out ControlMessage answer));
        return answer;
    }
}
