using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Spate.Measurement.Accounting;
using Spate.Measurement.Testing;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Testing;

/// <summary>An end that falls silent while its socket stays open: the other one stops sending (RFC 8085).</summary>
public sealed class SilentEndTests
{
    // Far more than the 2 s after which a sender stops, far less than the test would take.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(8);

    private static readonly TimeSpan Quiet = TimeSpan.FromSeconds(1);

    [Fact]
    public async Task Server_FallsSilent_ClientStopsSending()
    {
        using var server = new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        server.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        Task<TrafficException> client = Task.Factory.StartNew(
            () => Assert.Throws<TrafficException>(() => RunAgainst(server)),
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);

        TimeSpan sending = Answer(server);

        Assert.InRange(sending, TimeSpan.FromSeconds(1), Patience);
        Assert.Contains("has not been heard", (await client).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Client_FallsSilent_ServerStopsSendingAndForgetsIt()
    {
        using var server = new RunningServer();
        using var control = new HandMadeClient(server.EndPoint);
        ulong token = control.Begin(
            new TestParameters { Direction = TestDirection.Reverse, DatagramsPerSecond = 1000, Seconds = 60 });
        using var flow = new HandMadeClient(server.EndPoint);
        flow.Send(flow.Join(flow.Cookie(), token, 0));
        Assert.NotNull(flow.TryReceive());
        control.Send(ControlMessage.Create(ControlKind.Start, token, []));

        TimeSpan sending = ReadUntilQuiet(flow.Socket);

        Assert.InRange(sending, TimeSpan.FromSeconds(1), Patience);
        Assert.True(SpinWait.SpinUntil(() => server.Server.ClientCount == 0, 2 * Patience));
    }

    private static TestReport RunAgainst(Socket server) => RunningServer.Run(new TestClientOptions
    {
        Servers = [UdpEndPoint.FromIPEndPoint((IPEndPoint)server.LocalEndPoint!)],
        SizeBytes = 64,
        DatagramsPerSecond = 1000,
        Duration = TimeSpan.FromSeconds(60),
    });

    /// <summary>Answers the handshake of a client and nothing else. Returns for how long data came.</summary>
    private static TimeSpan Answer(Socket server)
    {
        const ulong token = 7;
        byte[] buffer = new byte[65_536];
        EndPoint peer = new IPEndPoint(IPAddress.Any, 0);
        server.ReceiveTimeout = (int)Patience.TotalMilliseconds;
        while (true)
        {
            int length = server.ReceiveFrom(buffer, ref peer);
            if (!ControlMessage.TryRead(buffer.AsSpan(0, length), out ControlMessage message)) break;

            ReadOnlySpan<byte> nonce = message.Body.Length < HandshakeBodies.NonceBytes
                ? []
                : HandshakeBodies.NonceOf(message.Body);
            byte[]? answer = message.Kind switch
            {
                ControlKind.Hello => ControlMessage.Create(
                    ControlKind.Challenge, message.Token, message.Body[..HandshakeBodies.ChallengeBytes]),
                ControlKind.Request => ControlMessage.Create(
                    ControlKind.Accept,
                    token,
                    HandshakeBodies.Accept(nonce, token, message.Body[HandshakeBodies.RequestBytes..], key: null)),
                ControlKind.Join => ControlMessage.Create(
                    ControlKind.Joined, token, HandshakeBodies.Joined(nonce, TestDatagram.NewStreamId())),
                ControlKind.Start => ControlMessage.Create(ControlKind.Started, token, []),
                _ => null,
            };
            if (answer is not null) server.SendTo(answer, peer);
        }

        return ReadUntilQuiet(server);
    }

    /// <summary>Reads until no data has come for a while. Returns for how long it came.</summary>
    private static TimeSpan ReadUntilQuiet(Socket socket)
    {
        byte[] buffer = new byte[65_536];
        long start = Stopwatch.GetTimestamp();
        long last = start;
        socket.ReceiveTimeout = (int)Quiet.TotalMilliseconds;
        while (Stopwatch.GetElapsedTime(last) < Quiet && Stopwatch.GetElapsedTime(start) < 2 * Patience)
        {
            try
            {
                int length = socket.Receive(buffer);
                if (TestDatagram.TryRead(buffer.AsSpan(0, length), out _)) last = Stopwatch.GetTimestamp();
            }
            catch (SocketException fault) when (fault.SocketErrorCode is SocketError.TimedOut or SocketError.WouldBlock)
            {
                break;
            }
        }

        return Stopwatch.GetElapsedTime(start, last);
    }
}
