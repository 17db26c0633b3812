using System.Diagnostics;
using Spate.Measurement.Counting;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.PathTest;

namespace Spate.Tests.Measurement.PathTest;

/// <summary>What a server of tests grants, to whom, and what it does not answer.</summary>
public sealed class TestServerTests
{
    private const int BurstCount = 64;
    private static readonly TestKey Key = new("0123456789abcdef"u8);
    private static readonly TestKey OtherKey = new("fedcba9876543210"u8);

    [Fact]
    public void Hello_Whole_IsAnsweredWithNothingLonger()
    {
        using var server = new RunningServer();
        using var client = new HandMadeClient(server.EndPoint);
        byte[] hello = client.Hello();

        client.Send(hello);

        Assert.InRange(client.TryReceive()!.Length, ControlMessage.HeaderBytes, hello.Length);
        Assert.Equal(0, server.Server.ClientCount);
    }

    [Fact]
    public void Hello_TooShort_IsNotAnswered()
    {
        using var server = new RunningServer();
        using var client = new HandMadeClient(server.EndPoint);
        byte[] hello = client.Hello();

        for (int length = 0; length < hello.Length; length++)
        {
            client.Send(hello.AsSpan(0, length));
        }

        client.Send(hello);
        Assert.True(ControlMessage.TryRead(client.TryReceive(), out ControlMessage message));
        Assert.Equal(ControlKind.Challenge, message.Kind);
        Wait.Until(() => server.Server.Socket.GetCounters().DatagramsSent == 1);
    }

    [Fact]
    public void Datagrams_ManyAtRandom_BindNothingAndAmplifyNothing()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux counts the drops of a socket");
        int count = TestWidth.Of(100_000, full: 1_000_000);
        Random random = RandomCase.Create();
        using var server = new RunningServer();
        using UdpSocket sender = UdpSocket.Connect(
            server.EndPoint, options: new UdpSocketOptions { SegmentedSend = false, CoalescedReceive = false });
        using SendBatch batch = sender.CreateSendBatch();
        using ReceiveBatch replies = sender.CreateReceiveBatch();
        byte[] valid = new HandMadeClient(server.EndPoint).Hello();
        var bytesIn = 0L;
        for (int sent = 0; sent < count;)
        {
            int maxBytes = 0;
            for (int i = 0; i < BurstCount; i++, sent++)
            {
                byte[] payload = Fuzz(random, valid);
                Assert.True(batch.TryReserve(payload.Length, out Span<byte> place));
                payload.CopyTo(place);
                bytesIn += payload.Length;
                maxBytes = Math.Max(maxBytes, payload.Length);
            }

            Assert.Equal(BurstCount, sender.Send(batch).Sent);
            Wait.Until(() => server.Server.Socket.GetCounters().DatagramsReceived >= sent);
            while (sender.TryReceive(replies) == ReceiveStatus.Received)
            {
                foreach (Datagram reply in replies)
                {
                    Assert.InRange(reply.Payload.Length, 1, maxBytes);
                }
            }
        }

        UdpCounters counters = server.Server.Socket.GetCounters();
        Assert.Equal(0, counters.KernelDrops);
        Assert.InRange(counters.BytesSent, 1, bytesIn);
        Assert.InRange(counters.DatagramsSent, 1, counters.DatagramsReceived);
        Assert.Equal(0, server.Server.ClientCount);
        Assert.Equal(0, RunningServer.Run(server.Options()).Directions[0].Lost);
    }

    [Fact]
    public void Request_CookieOfAnotherAddress_BindsNothing()
    {
        const int count = 10_000;
        using var server = new RunningServer();
        using var owner = new HandMadeClient(server.EndPoint);
        using var other = new HandMadeClient(server.EndPoint, "127.0.0.2");
        byte[] request = owner.Request(owner.Cookie(), new TestParameters());

        for (int i = 0; i < count; i++)
        {
            other.Send(request);
            if (i % BurstCount == 0) WaitUntilRead(server, i + 2);
        }

        WaitUntilRead(server, count + 1);
        Assert.Equal(0, server.Server.ClientCount);
        Assert.Equal(1, server.Server.Socket.GetCounters().DatagramsSent);
        Assert.Equal(0, other.Socket.Available);
    }

    [Fact]
    public void Join_FromAnotherAddress_BindsNoFlow()
    {
        const int count = 10_000;
        Random random = RandomCase.Create();
        using var server = new RunningServer();
        using var owner = new HandMadeClient(server.EndPoint);
        using var other = new HandMadeClient(server.EndPoint, "127.0.0.2");
        byte[] cookie = owner.Cookie();
        owner.Send(owner.Request(cookie, new TestParameters { Flows = 2, Direction = TestDirection.Reverse }));
        Assert.True(ControlMessage.TryRead(owner.TryReceive(), out ControlMessage accept));
        ulong token = accept.Token;
        long read = server.Server.Socket.GetCounters().DatagramsReceived;

        // The owner's cookie aims the server's stream at another address; without a cookie it is guessed.
        for (int i = 0; i < count; i++)
        {
            if (i % 2 == 1) random.NextBytes(cookie);
            other.Send(owner.Join(cookie, token, i % 2));
            if (i % BurstCount == 0) WaitUntilRead(server, read + i + 1);
        }

        WaitUntilRead(server, read + count);
        Assert.Equal(0, other.Socket.Available);

        // The owner can still join from there if it proves that it receives there.
        other.Send(other.Join(other.Cookie(), token, 0));
        Assert.True(ControlMessage.TryRead(other.TryReceive(), out ControlMessage joined));
        Assert.Equal(ControlKind.Joined, joined.Kind);
    }

    [Fact]
    public void Join_ForgedToken_IsNotAnswered()
    {
        const int count = 10_000;
        Random random = RandomCase.Create();
        using var server = new RunningServer();
        using var owner = new HandMadeClient(server.EndPoint);
        ulong token = owner.Begin(new TestParameters { Flows = 1 });
        using var other = new HandMadeClient(server.EndPoint);
        byte[] cookie = other.Cookie();
        long read = server.Server.Socket.GetCounters().DatagramsReceived;
        for (int i = 0; i < count; i++)
        {
            ulong forged = i < 64 ? token ^ (1UL << i) : (ulong)random.NextInt64(long.MinValue, long.MaxValue);
            other.Send(other.Join(cookie, forged, 0));
            if (i % BurstCount == 0) WaitUntilRead(server, read + i + 1);
        }

        WaitUntilRead(server, read + count);
        Assert.Equal(0, other.Socket.Available);
    }

    [Fact]
    public void Data_FromAnotherAddress_IsNotCounted()
    {
        const int count = 1000;
        using var server = new RunningServer();
        using TestClient client = Connect(server.Options(count).Asking(static test => test.DatagramsPerSecond = 2000));
        using var stop = new CancellationTokenSource();
        using var other = new HandMadeClient(server.EndPoint, "127.0.0.2");
        byte[] data = new byte[64];
        var aimed = new Thread(() =>
        {
            for (long sequence = 0; !stop.IsCancellationRequested; sequence++)
            {
                TestDatagram.WriteData(data, TestDatagram.NewStreamId(), sequence);
                other.Send(data);
            }
        });
        aimed.Start();

        TestReport report = client.Run(cancellationToken: Cancelled);
        stop.Cancel();
        aimed.Join();

        Assert.Equal(count, report.Directions[0].Unique);
        Assert.Equal(count, report.Remote.Received!.Datagrams);
        Assert.Equal(1, report.Remote.Received.Streams);
    }

    [Fact]
    public void Request_Replayed_OpensNoSecondTest()
    {
        using var server = new RunningServer();
        using var client = new HandMadeClient(server.EndPoint);
        byte[] request = client.Request(client.Cookie(), new TestParameters());
        client.Send(request);
        Assert.True(ControlMessage.TryRead(client.TryReceive(), out ControlMessage accept));
        byte[] bye = ControlMessage.Create(ControlKind.Bye, accept.Token, []);
        client.Send(bye);
        Wait.Until(() => server.Server.ClientCount == 0);
        long read = server.Server.Socket.GetCounters().DatagramsReceived;

        for (int i = 0; i < BurstCount; i++)
        {
            client.Send(request);
        }

        WaitUntilRead(server, read + BurstCount);
        Assert.Equal(0, server.Server.ClientCount);
        Assert.Equal(0, client.Socket.Available);
    }

    [Fact]
    public void Messages_AtRandomInATest_EndNothing()
    {
        Random random = RandomCase.Create();
        using var server = new RunningServer();
        using var client = new HandMadeClient(server.EndPoint);
        ulong token = client.Begin();
        byte[] body = new byte[ControlMessage.MaxBodyBytes];
        for (int i = 0; i < 50_000; i++)
        {
            random.NextBytes(body);
            var kind = (ControlKind)random.Next((int)ControlKind.Hello, (int)ControlKind.Bye);
            client.Send(ControlMessage.Create(
                kind, token, body.AsSpan(0, random.Next(body.Length + 1)), random.NextInt64() >> random.Next(63)));
            client.Socket.ReceiveTimeout = 1;
            if (i % BurstCount == 0) _ = client.TryReceive();
        }

        Assert.Equal(1, server.Server.ClientCount);
        Assert.Equal(0, RunningServer.Run(server.Options()).Directions[0].Lost);
    }

    [Fact]
    public void Request_ParametersAtRandom_AreAnsweredAndEndNothing()
    {
        Random random = RandomCase.Create();
        using var server = new RunningServer(new TestServerOptions { MaxClients = TestServerOptions.MaxMaxClients });
        byte[] valid = new TestParameters { Label = "x", Cpus = [0], Seconds = 1 }.ToJson();
        int count = TestWidth.Of(500, full: 2000);
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < count; i++)
        {
            using var client = new HandMadeClient(server.EndPoint);
            byte[] changed = valid[..(random.Next(4) == 0 ? random.Next(1, valid.Length) : valid.Length)];
            changed[random.Next(changed.Length)] = (byte)random.Next(256);
            byte[] body = HandshakeBodies.Request(client.Nonce, client.Cookie(), changed, key: null);
            byte[]? reply = client.Ask(ControlMessage.Create(ControlKind.Request, 0, body));

            Assert.True(ControlMessage.TryRead(reply, out ControlMessage answer));
            Assert.True(answer.Kind is ControlKind.Accept or ControlKind.Refuse);
            if (answer.Kind == ControlKind.Accept)
            {
                client.Send(ControlMessage.Create(ControlKind.Bye, answer.Token, []));
            }
        }

        Assert.Equal(0, RunningServer.Run(server.Options()).Directions[0].Lost);
        Assert.DoesNotContain(
            server.Notices, static line => line.Contains("could not be answered", StringComparison.Ordinal));

        // The whole test has two more, for its begin and its end.
        Assert.InRange(server.Notices.Count, 1, 3 + (int)(Stopwatch.GetElapsedTime(start) / RefusalNotices.Pause));
    }

    [Fact]
    public void Request_MoreThanMaxClients_IsRefusedInOneLine()
    {
        using var server = new RunningServer(new TestServerOptions { MaxClients = 1 });
        using TestClient first = Connect(server.Options());

        TrafficException refusal = Assert.Throws<TrafficException>(() => Connect(server.Options()));

        Assert.Contains("already runs 1 test(s)", refusal.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', refusal.Message);
        first.Dispose();
        Wait.Until(() => server.Server.ClientCount == 0);
        Assert.Equal(0, RunningServer.Run(server.Options()).Directions[0].Lost);
    }

    [Fact]
    public void Request_BeyondTheLimits_IsGrantedLess()
    {
        using var server = new RunningServer(new TestServerOptions
        {
            MaxDatagramsPerSecond = 1000,
            MaxDuration = TimeSpan.FromMilliseconds(300),
        });
        using TestClient client = Connect(server.Options().Asking(test =>
        {
            test.Direction = TestDirection.Both;
            test.DatagramCount = null;
            test.Seconds = null;
        }));

        TestReport report = client.Run(cancellationToken: Cancelled);

        Assert.Equal((1000, 0.3), (client.Granted.DatagramsPerSecond, client.Granted.Seconds));
        Assert.All(report.Directions, static one => Assert.InRange(one.Datagrams, 1, 310));
    }

    [Theory]
    [InlineData(false, false, null)]
    [InlineData(true, true, null)]
    [InlineData(true, false, "the server needs a key, and the client's is missing or different")]
    [InlineData(false, true, "does not have this key (check --key-file at both ends)")]
    public void Request_Keys_MustBeTheSame(bool serverHasKey, bool clientHasKey, string? refusal)
    {
        using var server = new RunningServer(new TestServerOptions { Key = serverHasKey ? Key : null });
        TestClientOptions options = (server.Options(100) with { Key = clientHasKey ? Key : null }).Asking(test =>
        {
            test.Flows = 2;
            test.Direction = TestDirection.Both;
        });

        if (refusal is null)
        {
            Assert.All(RunningServer.Run(options).Directions, static one => Assert.Equal(100, one.Unique));
            return;
        }

        Assert.Contains(
            refusal, Assert.Throws<TrafficException>(() => Connect(options)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Request_AnotherKey_IsRefused()
    {
        using var server = new RunningServer(new TestServerOptions { Key = Key });

        Assert.Throws<TrafficException>(() => Connect(server.Options() with { Key = OtherKey }));

        Assert.Equal(0, server.Server.ClientCount);
        Assert.Single(server.Notices, static line => line.Contains("refused", StringComparison.Ordinal));
    }

    [Fact]
    public void Request_RefusedOften_IsToldOnce()
    {
        using var server = new RunningServer(new TestServerOptions { Key = Key });
        using var client = new HandMadeClient(server.EndPoint);
        byte[] request = client.Request(client.Cookie(), new TestParameters());

        for (int i = 0; i < 200; i++)
        {
            client.Send(request);
            Assert.True(ControlMessage.TryRead(client.TryReceive(), out ControlMessage message));
            Assert.Equal(ControlKind.Refuse, message.Kind);
        }

        Assert.Single(server.Notices);
    }

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    private static TestClient Connect(TestClientOptions options) =>
        TestClient.Connect(options, cancellationToken: Cancelled);

    private static void WaitUntilRead(RunningServer server, long count) =>
        Wait.Until(() => server.Server.Socket.GetCounters().DatagramsReceived >= count);

    // Random bytes; a right header with a random kind and body; a valid hello of which some bytes are changed.
    private static byte[] Fuzz(Random random, byte[] valid)
    {
        switch (random.Next(3))
        {
            case 0:
                byte[] noise = new byte[random.Next(1400)];
                random.NextBytes(noise);
                return noise;
            case 1:
                byte[] body = new byte[random.Next(ControlMessage.MaxBodyBytes + 100)];
                random.NextBytes(body);
                return ControlMessage.Create(
                    (ControlKind)random.Next(256), (ulong)random.NextInt64(), body, random.NextInt64());
            default:
                byte[] changed = valid[..random.Next(valid.Length + 1)];
                for (int i = random.Next(4); i > 0 && changed.Length > 0; i--)
                {
                    changed[random.Next(changed.Length)] = (byte)random.Next(256);
                }

                return changed;
        }
    }
}
