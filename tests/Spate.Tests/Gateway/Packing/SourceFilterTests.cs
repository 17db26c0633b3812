using System.Globalization;
using System.Net;
using Spate.Gateway.Packing;

namespace Spate.Tests.Gateway.Packing;

/// <summary>Which sources are taken, and how many datagrams of each prefix.</summary>
public sealed class SourceFilterTests
{
    private const long Second = 1_000_000_000;

    [Theory]
    [InlineData("10.0.0.0/8", "10.255.255.255", true)]
    [InlineData("10.0.0.0/8", "11.0.0.0", false)]
    [InlineData("10.0.0.0/8", "9.255.255.255", false)]
    [InlineData("192.0.2.7/32", "192.0.2.7", true)]
    [InlineData("192.0.2.7/32", "192.0.2.8", false)]
    [InlineData("0.0.0.0/0", "203.0.113.9", true)]
    [InlineData("0.0.0.0/0", "2001:db8::1", false)]
    [InlineData("::/0", "2001:db8::1", true)]
    [InlineData("::/0", "10.0.0.1", false)]
    [InlineData("2001:db8::/32", "2001:db8:ffff::1", true)]
    [InlineData("2001:db8::/32", "2001:db9::", false)]
    [InlineData("10.0.0.0/8", "::ffff:10.1.2.3", true)]
    public void Contains_EdgeOfPrefix_AsWritten(string prefix, string address, bool expected)
    {
        PrefixRanges ranges = new([IPNetwork.Parse(prefix)]);
        Assert.Equal(expected, ranges.Contains(new UdpEndPoint(IPAddress.Parse(address), 9)));
    }

    [Fact]
    public void Contains_RandomPrefixes_AsEachPrefixSays()
    {
        Random random = NewRandom();
        for (int run = 0; run < 200; run++)
        {
            IPNetwork[] prefixes = [.. Enumerable.Range(0, random.Next(1, 20)).Select(_ => RandomPrefix(random))];
            PrefixRanges ranges = new(prefixes);
            for (int i = 0; i < 50; i++)
            {
                IPAddress address = random.Next(2) == 0
                    ? RandomAddress(random)
                    : prefixes[random.Next(prefixes.Length)].BaseAddress;
                bool expected = prefixes.Any(prefix => prefix.Contains(address));
                Assert.Equal(expected, ranges.Contains(new UdpEndPoint(address, 9)));
            }
        }
    }

    [Fact]
    public void Allows_PeersInTurn_EachByItsOwnPrefix()
    {
        SourceFilter filter = new(new PrefixRanges([IPNetwork.Parse("127.0.0.0/8")]), limiter: null);
        UdpEndPoint inside = UdpEndPoint.Loopback(9), outside = new(IPAddress.Parse("10.0.0.1"), 9);
        for (int i = 0; i < 4; i++)
        {
            Assert.True(filter.Allows(inside, 0));
            Assert.False(filter.Allows(outside, 0));
            Assert.False(filter.Allows(outside, 0));
        }
    }

    [Fact]
    public void TryPay_MoreThanTheRate_RefusedUntilItIsPaid()
    {
        PrefixLimiter limiter = new(10, Second);
        UdpEndPoint peer = new(IPAddress.Parse("192.0.2.1"), 9);
        UdpEndPoint neighbour = new(IPAddress.Parse("192.0.2.200"), 10);
        UdpEndPoint other = new(IPAddress.Parse("192.0.3.1"), 9);
        for (int i = 0; i < 10; i++) Assert.True(limiter.TryPay(i % 2 == 0 ? peer : neighbour, 0));
        Assert.False(limiter.TryPay(peer, 0));
        Assert.False(limiter.TryPay(neighbour, 0));
        Assert.True(limiter.TryPay(other, 0));
        Assert.True(limiter.TryPay(peer, Second / 10));
        Assert.False(limiter.TryPay(peer, Second / 10));
    }

    [Fact]
    public void TryPay_IPv6OfOneSlash64_OnePrefix()
    {
        PrefixLimiter limiter = new(1, Second);
        Assert.True(limiter.TryPay(new UdpEndPoint(IPAddress.Parse("2001:db8::1"), 9), 0));
        Assert.False(limiter.TryPay(new UdpEndPoint(IPAddress.Parse("2001:db8::2:1"), 9), 0));
        Assert.True(limiter.TryPay(new UdpEndPoint(IPAddress.Parse("2001:db8:0:1::1"), 9), 0));
        Assert.True(limiter.TryPay(UdpEndPoint.IPv6Loopback(9), 0));
        Assert.False(limiter.TryPay(UdpEndPoint.IPv6Loopback(10), 0));
    }

    [Fact]
    public void TryPay_FloodOfPrefixes_NoneExceedsItsRate()
    {
        Random random = NewRandom();
        PrefixLimiter limiter = new(3, Second);
        Dictionary<IPAddress, int> allowed = [];
        for (int i = 0; i < 300_000; i++)
        {
            byte[] address = [10, (byte)random.Next(256), (byte)random.Next(256), 0];
            IPAddress prefix = new(address);
            if (!limiter.TryPay(new UdpEndPoint(prefix, 9), 0)) continue;
            allowed[prefix] = allowed.GetValueOrDefault(prefix) + 1;
        }

        Assert.All(allowed.Values, count => Assert.InRange(count, 1, 3));
    }

    private static IPAddress RandomAddress(Random random)
    {
        byte[] address = new byte[random.Next(2) == 0 ? 4 : 16];
        random.NextBytes(address);

        // Small first bytes, so that prefixes meet and contain each other.
        address[0] = (byte)(16 + (address[0] % 3));
        return new IPAddress(address);
    }

    private static IPNetwork RandomPrefix(Random random)
    {
        byte[] address = RandomAddress(random).GetAddressBytes();
        int bits = random.Next((address.Length * 8) + 1);
        for (int i = bits; i < address.Length * 8; i++) address[i / 8] &= (byte)~(0x80 >> (i % 8));
        return new IPNetwork(new IPAddress(address), bits);
    }

    private static Random NewRandom()
    {
        string? given = Environment.GetEnvironmentVariable("SPATE_SEED");
        int seed = given is null ? Random.Shared.Next() : int.Parse(given, CultureInfo.InvariantCulture);
        TestContext.Current.TestOutputHelper?.WriteLine($"SPATE_SEED={seed}");
        return new Random(seed);
    }
}
