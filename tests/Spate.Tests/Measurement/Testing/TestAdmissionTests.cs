using Spate.Measurement.Testing;

namespace Spate.Tests.Measurement.Testing;

/// <summary>What stays of a request that fails, and what a copy of a refused request costs.</summary>
[Collection(AloneCollection.Name)]
public sealed class TestAdmissionTests
{
    private static readonly UdpEndPoint Peer = UdpEndPoint.Loopback(9);

    [Fact]
    public void Request_FailsAtAnyReadingOfTheClock_KeepsNeitherTheTestNorASocket()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "/proc is needed");
        int failures = 0;
        for (int readings = 0; ; readings++)
        {
            var time = new FailingTime();
            var cookies = new AddressCookies(time);
            using var admission = new TestAdmission(new TestServerOptions(), cookies, 0, time, static () => [0]);
            byte[] request = RequestOf(cookies, new TestParameters());
            int openBefore = OpenSockets();
            time.Remaining = readings;
            try
            {
                Assert.Null(admission.Request(request, Peer, UdpEndPoint.Loopback(0)));
                time.Remaining = int.MaxValue;
                admission.End();
                break;
            }
            catch (InvalidOperationException)
            {
                time.Remaining = int.MaxValue;
                failures++;
            }

            Assert.Equal((0, openBefore), (admission.Count, OpenSockets()));
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
            () =>
            {
                read++;
                return [0];
            });
        byte[] request = RequestOf(cookies, new TestParameters { Cpus = [1] });
        time.Now = time.GetTimestamp();

        for (int i = 0; i < 1000; i++)
        {
            Assert.Equal(
                "the server has no such CPU: usable there are 0",
                admission.Request(request, Peer, UdpEndPoint.Loopback(0)));
        }

        Assert.Equal(1, read);
        time.Now += 2 * time.TimestampFrequency;
        Assert.NotNull(admission.Request(request, Peer, UdpEndPoint.Loopback(0)));
        Assert.Equal(2, read);
    }

    [Fact]
    public void JoinedFlow_FailsAfterItsSocketIsOpen_ClosesIt()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "/proc is needed");
        int openBefore = OpenSockets();

        Assert.Throws<ArgumentOutOfRangeException>(() => new JoinedFlow(
            1, 0, join: new byte[8], Peer, UdpEndPoint.Loopback(0), new UdpSocketOptions()));

        Assert.Equal(openBefore, OpenSockets());
    }

    private static byte[] RequestOf(AddressCookies cookies, TestParameters parameters)
    {
        byte[] nonce = new byte[HandshakeBodies.NonceBytes];
        byte[] cookie = new byte[AddressCookies.CookieBytes];
        cookies.Issue(Peer, nonce, cookie);
        return HandshakeBodies.Request(nonce, cookie, parameters.ToJson(), key: null);
    }

    private static int OpenSockets() =>
        Descriptors.Targets().Count(static target => target.StartsWith("socket:", StringComparison.Ordinal));

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
