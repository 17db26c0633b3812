using System.Net;
using Spate.Hashing;

namespace Spate.Tests;

public sealed partial class UdpEndPointTests
{
    [Fact]
    public void Equals_MappedAndPlainIPv4_AreOneValueWithOneHash()
    {
        UdpEndPoint plain = new(IPAddress.Parse("1.2.3.4"), 5);
        UdpEndPoint mapped = new(IPAddress.Parse("::ffff:1.2.3.4"), 5);
        Assert.True(plain == mapped);
        Assert.True(plain.Equals((object)mapped));
        Assert.Equal(plain.GetHashCode(), mapped.GetHashCode());
        Assert.True(mapped.IsIPv4);
    }

    [Theory]
    [InlineData("1.2.3.4:5", "1.2.3.4:6")]
    [InlineData("1.2.3.4:5", "1.2.3.5:5")]
    [InlineData("0.0.0.0:5", "[::]:5")]
    [InlineData("[1::1]:5", "[1::1]:6")]
    [InlineData("[1::1]:5", "[2::1]:5")]
    [InlineData("[1::1]:5", "[1::2]:5")]
    [InlineData("[fe80::1%1]:5", "[fe80::1%2]:5")]
    [InlineData("[fe80::1]:5", "[fe80::1%2]:5")]
    public void Equals_OnePartDiffers_IsFalseAndTheHashDiffers(string left, string right)
    {
        // A fixed key: under a random one two hashes of 64 bits could, once in an age, be the same.
        var hash = new KeyedHash(1, 2);
        UdpEndPoint one = UdpEndPoint.Parse(left);
        UdpEndPoint other = UdpEndPoint.Parse(right);
        Assert.False(one == other);
        Assert.True(one != other);
        Assert.False(one.Equals(other));
        Assert.False(one.Equals((object)other));
        Assert.NotEqual(one.Hash(in hash), other.Hash(in hash));
    }

    [Fact]
    public void Equals_OtherTypes_IsFalse()
    {
        Assert.False(UdpEndPoint.Any(1).Equals(new IPEndPoint(IPAddress.Any, 1)));
        Assert.False(UdpEndPoint.Any(1).Equals(null));
        Assert.True(default(UdpEndPoint).Equals(default));
    }

    [Theory]
    [InlineData("1.2.3.4:5", 8)]
    [InlineData("[fe80::1%3]:5", 28)]
    public void Hash_BothFamilies_IsSipHashOfTheBytesThatMatter(string text, int bytes)
    {
        Assert.SkipUnless(BitConverter.IsLittleEndian, "words are hashed in this machine's byte order");
        UdpEndPoint endPoint = UdpEndPoint.Parse(text);
        var hash = new KeyedHash(3, 4);
        Assert.Equal(hash.Hash(AllBytes(endPoint).AsSpan(0, bytes)), endPoint.Hash(in hash));
    }

    [Fact]
    public void Hash_AnotherKey_IsAnotherHash()
    {
        UdpEndPoint endPoint = UdpEndPoint.Parse("1.2.3.4:5");
        ulong expected = endPoint.Hash(new KeyedHash(1, 2));
        Assert.Equal(expected, endPoint.Hash(new KeyedHash(1, 2)));
        Assert.NotEqual(expected, endPoint.Hash(new KeyedHash(1, 3)));
        Assert.NotEqual(expected, endPoint.Hash(new KeyedHash(0, 2)));
    }

    [Fact]
    public void GetHashCode_ThousandsOfPeers_HardlyCollide()
    {
        // 65,536 values drawn from 2^32 have half a collision on average; a hundred would be a broken hash.
        var hashes = new HashSet<int>();
        for (int port = 0; port <= IPEndPoint.MaxPort; port++)
            hashes.Add(UdpEndPoint.Loopback(port).GetHashCode());
        Assert.InRange(hashes.Count, 65_436, 65_536);
    }
}
