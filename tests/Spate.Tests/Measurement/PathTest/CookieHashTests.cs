using Spate.Measurement.PathTest;

namespace Spate.Tests.Measurement.PathTest;

public sealed class CookieHashTests
{
    private const ulong Key0 = 0x0706050403020100;
    private const ulong Key1 = 0x0F0E0D0C0B0A0908;

    /// <summary>The example of the paper, and vectors of its reference code.</summary>
    [Theory]
    [InlineData(0, 0x726FDB47DD0E0E31)]
    [InlineData(8, 0x93F5F5799A932462)]
    [InlineData(15, 0xA129CA6149BE45E5)]
    public void Compute_PublishedVectors_Agrees(int messageBytes, ulong expected)
    {
        byte[] message = [.. Enumerable.Range(0, messageBytes).Select(one => (byte)one)];

        Assert.Equal(expected, new CookieHash(Key0, Key1).Compute(message));
    }

    [Fact]
    public void Compute_RandomKeys_Differ() =>
        Assert.NotEqual(new CookieHash().Compute([1]), new CookieHash().Compute([1]));
}
