using System.Net;
using Spate.Serving;
using Spate.TestHelpers.Diagnostics;

namespace Spate.Tests.Serving.Sessions;

/// <summary>Row 13 of the reliability table: limits per prefix and for all, within 10 %, others unaffected.</summary>
public sealed class SessionAdmissionTests
{
    private readonly FakeTime _time = new();

    [Theory]
    [InlineData(1, 1, 60)]
    [InlineData(20, 5, 10)]
    [InlineData(1000, 1, 5)]
    [InlineData(15_000, 300, 2)]
    public void TryAdmit_OnePrefix_GetsItsRateAndBurst(int perSecond, int burst, int seconds)
    {
        SessionTable<int> table = Table(perSecond, burst);
        int admitted = 0;
        int limited = 0;
        int sent = 0;

        // Four times as many peers of 198.51.100.0/24 as may come, evenly.
        for (int i = 0; i < 4 * perSecond * seconds; i++)
        {
            SessionAdmission admission = table.GetOrAdmit(Peer(198, 51, 100, sent++), out _);
            if (admission == SessionAdmission.Admitted) admitted++;
            else if (admission == SessionAdmission.PrefixLimited) limited++;
            _time.Advance(TimeSpan.FromSeconds(0.25 / perSecond));
        }

        double allowed = burst + ((double)perSecond * seconds);
        Assert.InRange(admitted, 0.9 * allowed, 1.1 * allowed);
        Assert.Equal(sent, admitted + limited);
    }

    /// <summary>Other tests' tables report too, so the event is known by its count.</summary>
    [Fact]
    public void TryAdmit_RefusedOften_IsReportedOnceInTenSeconds()
    {
        const int Refused = 7777;
        using var events = new SpateEvents();
        SessionTable<int> table = Table(1, 1);
        for (int i = 0; i <= Refused; i++) table.GetOrAdmit(Peer(198, 51, 100, i), out _);
        Assert.DoesNotContain(Refused - 1L, Counts(events));

        _time.Advance(TimeSpan.FromSeconds(10));
        for (int i = 0; i < 2; i++) table.GetOrAdmit(Peer(198, 51, 100, Refused + 1 + i), out _);

        Assert.Contains((long)Refused, Counts(events));
    }

    [Fact]
    public void TryAdmit_OtherPrefixes_AreUnaffected()
    {
        SessionTable<int> table = Table(20, 5);
        for (int i = 0; i < 10_000; i++) table.GetOrAdmit(Peer(198, 51, 100, i), out _);
        Assert.Equal(5, table.Count);

        for (int network = 0; network < 256; network++)
            Assert.Equal(SessionAdmission.Admitted, table.GetOrAdmit(Peer(203, network, 113, 1), out _));
    }

    [Fact]
    public void TryAdmit_IPv6_IsLimitedBySixtyFourBits()
    {
        SessionTable<int> table = Table(20, 5);
        SessionAdmission Admit(string address) => table.GetOrAdmit(new UdpEndPoint(IPAddress.Parse(address), 1), out _);

        for (int i = 0; i < 5; i++) Assert.Equal(SessionAdmission.Admitted, Admit($"2001:db8:0:1::{i}"));

        Assert.Equal(SessionAdmission.PrefixLimited, Admit("2001:db8:0:1:ffff::"));
        Assert.Equal(SessionAdmission.Admitted, Admit("2001:db8:0:2::"));
    }

    [Theory]
    [InlineData("127.0.0.1")]
    [InlineData("127.9.9.9")]
    [InlineData("::1")]
    public void TryAdmit_Loopback_HasNoLimitPerPrefixButThatOfAll(string address)
    {
        SessionTable<int> table = Table(1, 1, all: 1, burstOfAll: 50);
        for (int port = 1; port <= 50; port++)
        {
            UdpEndPoint peer = new(IPAddress.Parse(address), port);
            Assert.Equal(SessionAdmission.Admitted, table.GetOrAdmit(peer, out _));
        }

        UdpEndPoint last = new(IPAddress.Parse(address), 51);
        Assert.Equal(SessionAdmission.RateLimited, table.GetOrAdmit(last, out _));
    }

    [Theory]
    [InlineData(32, "198.51.100.1", "198.51.100.2", false)]
    [InlineData(24, "198.51.100.1", "198.51.101.1", false)]
    [InlineData(24, "198.51.100.1", "198.51.100.255", true)]
    [InlineData(16, "198.51.100.1", "198.51.255.1", true)]
    [InlineData(1, "129.0.0.1", "254.0.0.1", true)]
    public void TryAdmit_IPv4PrefixBits_DecideWhoSharesALimit(int bits, string first, string second, bool shared)
    {
        SessionTable<int> table = Table(1, 1, ipv4PrefixBits: bits);

        Assert.Equal(
            SessionAdmission.Admitted, table.GetOrAdmit(new UdpEndPoint(IPAddress.Parse(first), 1), out _));
        Assert.Equal(
            shared ? SessionAdmission.PrefixLimited : SessionAdmission.Admitted,
            table.GetOrAdmit(new UdpEndPoint(IPAddress.Parse(second), 1), out _));
    }

    [Fact]
    public void TryAdmit_AllPeers_GetTheRateAndBurstOfAll()
    {
        SessionTable<int> table = Table(null, 5, all: 1000, burstOfAll: 100);
        int admitted = 0;
        int limited = 0;
        for (int i = 0; i < 40_000; i++)
        {
            SessionAdmission admission = table.GetOrAdmit(SessionPeers.Of(i), out _);
            if (admission == SessionAdmission.Admitted) admitted++;
            else if (admission == SessionAdmission.RateLimited) limited++;
            _time.Advance(TimeSpan.FromSeconds(0.25 / 1000));
        }

        Assert.InRange(admitted, 0.9 * 10_100, 1.1 * 10_100);
        Assert.Equal(40_000, admitted + limited);
    }

    [Fact]
    public void TryAdmit_RefusedByTheRateOfAll_IsNotChargedToThePrefix()
    {
        SessionTable<int> table = Table(1, 1, all: 10, burstOfAll: 1);
        Assert.Equal(SessionAdmission.Admitted, table.GetOrAdmit(Peer(198, 51, 100, 1), out _));
        for (int i = 0; i < 5; i++)
            Assert.Equal(SessionAdmission.RateLimited, table.GetOrAdmit(Peer(203, 0, 113, i), out _));

        _time.Advance(TimeSpan.FromSeconds(0.11));

        Assert.Equal(SessionAdmission.Admitted, table.GetOrAdmit(Peer(203, 0, 113, 9), out _));
    }

    [Fact]
    public void TryAdmit_MorePrefixesThanBuckets_RefusesAndForgetsNobodysLimit()
    {
        SessionTable<int> table = Table(1, 1);
        UdpEndPoint known = Peer(198, 51, 100, 1);
        Assert.Equal(SessionAdmission.Admitted, table.GetOrAdmit(in known, out _));
        int admitted = 0;
        for (int i = 0; i < 200_000; i++)
            if (table.GetOrAdmit(SessionPeers.Of((long)i << 8), out _) == SessionAdmission.Admitted) admitted++;

        // 65,536 buckets, and each is one second from being full again.
        Assert.InRange(admitted, 50_000, 65_536);
        Assert.Equal(SessionAdmission.PrefixLimited, table.GetOrAdmit(Peer(198, 51, 100, 2), out _));
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(SessionAdmission.Admitted, table.GetOrAdmit(Peer(198, 51, 100, 2), out _));
        Assert.Equal(SessionAdmission.Admitted, table.GetOrAdmit(SessionPeers.Of(300_000L << 8), out _));
    }

    [Fact]
    public void TryAdmit_FullTableAndLimitedPeer_EndsNoSession()
    {
        int ended = 0;
        var table = new SessionTable<int>(
            new()
            {
                MaxSessions = 2,
                IdleTimeout = TimeSpan.FromSeconds(10),
                NewSessionsPerSecondPerPrefix = 1,
                NewSessionsBurstPerPrefix = 1,
                TimeProvider = _time,
            },
            (in UdpEndPoint _, ref int _, SessionEndReason _) => ended++);
        Assert.Equal(SessionAdmission.Admitted, table.GetOrAdmit(Peer(198, 51, 100, 1), out _));
        Assert.Equal(SessionAdmission.Admitted, table.GetOrAdmit(Peer(203, 0, 113, 1), out _));
        _time.Advance(TimeSpan.FromSeconds(30));

        Assert.Equal(SessionAdmission.Admitted, table.GetOrAdmit(Peer(198, 51, 100, 2), out _));
        Assert.Equal(1, ended);

        Assert.Equal(SessionAdmission.PrefixLimited, table.GetOrAdmit(Peer(198, 51, 100, 3), out _));
        Assert.Equal(1, ended);
        Assert.Equal(SessionAdmission.Admitted, table.GetOrAdmit(Peer(192, 0, 2, 1), out _));
        Assert.Equal(2, ended);
    }

    private static IEnumerable<long> Counts(SpateEvents events) =>
        from written in events.Written
        where written.Name is "SessionsRefused" && written.Payload[0] is nameof(SessionAdmission.PrefixLimited)
        select (long)written.Payload[1]!;

    private SessionTable<int> Table(
        int? each, int burst, int ipv4PrefixBits = 24, int? all = null, int burstOfAll = 1) =>
        new(new()
        {
            MaxSessions = 200_000,
            NewSessionsPerSecondPerPrefix = each,
            NewSessionsBurstPerPrefix = burst,
            IPv4PrefixBits = ipv4PrefixBits,
            NewSessionsPerSecond = all,
            NewSessionsBurst = burstOfAll,
            TimeProvider = _time,
        });

    private static UdpEndPoint Peer(byte a, int b, byte c, int number) =>
        new(new IPAddress([a, (byte)b, c, (byte)number]), 1 + (number >> 8));
}
