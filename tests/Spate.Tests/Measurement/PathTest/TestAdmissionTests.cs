using System.Net;
using Spate.HostTuning.Counters;
using Spate.Measurement.Pacing;
using Spate.Measurement.PathTest;

namespace Spate.Tests.Measurement.PathTest;

/// <summary>What stays of a request that fails, and what a copy of a refused request costs.</summary>
[ProcessWide("allocation and descriptors of the process")]
public sealed class TestAdmissionTests
{
    private static readonly UdpEndPoint Peer = UdpEndPoint.Loopback(9);

    // The server is to send datagrams that carry the time at which they are to leave.
    private static readonly TestParameters Timed = new()
    {
        Direction = TestDirection.Reverse,
        Pace = PaceMode.Txtime,
        DatagramsPerSecond = 1000,
    };

    [Fact]
    public void Request_FailsAtAnyReadingOfTheClock_KeepsNeitherTheTestNorASocket()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "/proc is needed");
        int failures = 0;
        for (int readings = 0; ; readings++)
        {
            var time = new FailingTime();
            var cookies = new AddressCookies(time);
            using var admission = new TestAdmission(
                new TestServerOptions(),
                cookies,
                0,
                time,
                new AdmissionFacts(time, static () => [0], static _ => null));
            byte[] request = RequestOf(cookies, new TestParameters());
            int openBefore = Descriptors.OpenSockets();
            time.Remaining = readings;
            try
            {
                Assert.Null(admission.Request(request, Peer, UdpAddress.Loopback));
                time.Remaining = int.MaxValue;
                admission.End();
                break;
            }
            catch (InvalidOperationException)
            {
                time.Remaining = int.MaxValue;
                failures++;
            }

            Assert.Equal((0, openBefore), (admission.Count, Descriptors.OpenSockets()));
        }

        // The clock is read by the cookies, by the new test and by the answer at least.
        Assert.InRange(failures, 3, 100);
    }

    [Fact]
    public void Request_RefusedAndCopied_ReadsTheCpusOnce()
    {
        int read = 0;
        var time = new FailingTime();
        var cookies = new AddressCookies(time);
        using var admission = new TestAdmission(
            new TestServerOptions(),
            cookies,
            0,
            time,
            new AdmissionFacts(
                time,
                () =>
                {
                    read++;
                    return [0];
                },
                static _ => null));
        byte[] request = RequestOf(cookies, new TestParameters { Cpus = [1] });

        AssertAsksOnceASecond(
            admission, time, request, "the server has no such CPU: usable are 0", () => read);
    }

    [Fact]
    public void Request_TxtimeRefusedAndCopied_LooksUpTheWayOnce()
    {
        int found = 0;
        var time = new FailingTime();
        var cookies = new AddressCookies(time);
        using TestAdmission admission = AdmissionOf(cookies, time, new TestServerOptions(), _ =>
        {
            found++;
            return "no fq";
        });
        AssertAsksOnceASecond(admission, time, RequestOf(cookies, Timed), "at the server, no fq", () => found);
    }

    [Fact]
    public void Request_TxtimeOfManyAddresses_LooksUpABoundedNumber()
    {
        int found = 0;
        var facts = new AdmissionFacts(new FailingTime { Now = 1 }, static () => [0], _ =>
        {
            found++;
            return null;
        });

        int refused = Enumerable.Range(1, 1000).Count(
            i => facts.PaceFault(UdpEndPoint.Parse($"10.0.{i / 256}.{i % 256}:9")) is not null);

        Assert.Equal((AdmissionFacts.MaxWays, 1000 - AdmissionFacts.MaxWays), (found, refused));
    }

    [Fact]
    public void Request_TxtimeAtAServerThatIsFull_LooksUpNothing()
    {
        var time = new FailingTime();
        var cookies = new AddressCookies(time);
        using TestAdmission admission = AdmissionOf(
            cookies, time, new TestServerOptions { MaxClients = 0 }, static _ => throw new InvalidOperationException());

        string? refusal = admission.Request(RequestOf(cookies, Timed), Peer, UdpAddress.Loopback);

        Assert.StartsWith("the server already runs 0 test(s)", refusal, StringComparison.Ordinal);
    }

    [Fact]
    public void Request_LongestRefusal_ReachesTheClientWhole()
    {
        // Names of interfaces and of disciplines have 15 characters at most (IFNAMSIZ is 16).
        string name = new('x', 15);
        string reason = TransmitTimeOffer.Judge(name, [new QueueCounters(name, name, "0:", "root")])!;
        var cookies = new AddressCookies(TimeProvider.System);
        using TestAdmission admission = AdmissionOf(
            cookies, TimeProvider.System, new TestServerOptions(), _ => TransmitTimeOffer.FaultOf(reason));

        string refusal = admission.Request(RequestOf(cookies, Timed), Peer, UdpAddress.Loopback)!;

        Assert.EndsWith("; use --pace sleep or spin", refusal, StringComparison.Ordinal);
        Assert.Equal(
            refusal,
            HandshakeBodies.TextOfRefusal(HandshakeBodies.Refusal(new byte[HandshakeBodies.NonceBytes], refusal)));
    }

    [Fact]
    public void Refusal_AnyCharacters_FitsADatagram() => Assert.InRange(
        HandshakeBodies.Refusal(new byte[HandshakeBodies.NonceBytes], new string('\u20ac', 2000)).Length,
        HandshakeBodies.MaxRefusalCharacters,
        ControlMessage.MaxBodyBytes);

    [Fact]
    public void Join_TxtimeOverAWayThatKeepsNoTimes_EndsTheTestWithTheReason()
    {
        UdpEndPoint other = UdpEndPoint.Parse("127.0.0.2:9");
        using var control = new HandMadeClient(UdpEndPoint.Loopback(9));
        var peer = UdpEndPoint.FromIPEndPoint((IPEndPoint)control.Socket.LocalEndPoint!);
        var cookies = new AddressCookies(TimeProvider.System);
        using TestAdmission admission = AdmissionOf(
            cookies,
            TimeProvider.System,
            new TestServerOptions(),
            address => address == other.Address ? "no fq" : null);
        Assert.Null(admission.Request(RequestOf(cookies, Timed, peer), peer, UdpAddress.Loopback));
        ControlMessage accept = Read(control, ControlKind.Accept);
        byte[] cookie = new byte[AddressCookies.CookieBytes];
        cookies.Issue(other, control.Nonce, cookie);
        Assert.True(ControlMessage.TryRead(control.Join(cookie, accept.Token, 0), out ControlMessage join));

        admission.Join(join, other, UdpAddress.Loopback);

        Assert.Equal("at the server, no fq", HandshakeBodies.TextOfRefusal(Read(control, ControlKind.Refuse).Body));
        admission.End();
    }

    [Fact]
    public void JoinedFlow_FailsAfterItsSocketIsOpen_ClosesIt()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "/proc is needed");
        int openBefore = Descriptors.OpenSockets();

        Assert.Throws<ArgumentOutOfRangeException>(() => new JoinedFlow(
            1, 0, join: new byte[8], Peer, UdpEndPoint.Loopback(0), new UdpSocketOptions()));

        Assert.Equal(openBefore, Descriptors.OpenSockets());
    }

    /// <summary>A refused request and its copies ask the host once, and again when the answer is old.</summary>
    private static void AssertAsksOnceASecond(
        TestAdmission admission, FailingTime time, byte[] request, string refusal, Func<int> asked)
    {
        time.Now = time.GetTimestamp();
        for (int i = 0; i < 1000; i++)
        {
            Assert.Equal(refusal, admission.Request(request, Peer, UdpAddress.Loopback));
        }

        Assert.Equal(1, asked());
        time.Now += 2 * time.TimestampFrequency;
        Assert.NotNull(admission.Request(request, Peer, UdpAddress.Loopback));
        Assert.Equal(2, asked());
    }

    private static TestAdmission AdmissionOf(
        AddressCookies cookies, TimeProvider time, TestServerOptions options, Func<UdpAddress, string?> paceFault) =>
        new(options, cookies, 0, time, new AdmissionFacts(time, static () => [0], paceFault));

    private static ControlMessage Read(HandMadeClient client, ControlKind kind)
    {
        while (true)
        {
            byte[]? datagram = client.TryReceive();
            Assert.NotNull(datagram);
            if (ControlMessage.TryRead(datagram, out ControlMessage message) && message.Kind == kind) return message;
        }
    }

    private static byte[] RequestOf(AddressCookies cookies, TestParameters parameters, UdpEndPoint peer = default)
    {
        byte[] nonce = new byte[HandshakeBodies.NonceBytes];
        byte[] cookie = new byte[AddressCookies.CookieBytes];
        cookies.Issue(peer.IsDefault ? Peer : peer, nonce, cookie);
        return HandshakeBodies.Request(nonce, cookie, parameters.ToJson(), key: null);
    }

    /// <summary>A clock that can stand still, and that fails after a number of readings.</summary>
    private sealed class FailingTime : TimeProvider
    {
        private readonly int _ownThread = Environment.CurrentManagedThreadId;

        /// <summary>Readings of the thread that made it until it fails; those of others do not count.</summary>
        public int Remaining { get; set; } = int.MaxValue;

        public long? Now { get; set; }

        public override long GetTimestamp() => Environment.CurrentManagedThreadId != _ownThread || Remaining-- > 0
            ? Now ?? System.GetTimestamp()
            : throw new InvalidOperationException("the clock failed");
    }
}
