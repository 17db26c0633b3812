using System.Buffers.Binary;
using Spate.Hashing;
using Spate.Interop.Linux;

namespace Spate.Tests.Hashing;

public sealed class KeyedHashTests
{
    // The key and message of the paper's appendix: bytes 0, 1, 2, ...
    private const ulong PaperKey0 = 0x0706050403020100;
    private const ulong PaperKey1 = 0x0F0E0D0C0B0A0908;

    [Theory]
    [InlineData(0, 0x726FDB47DD0E0E31)]
    [InlineData(1, 0x74F839C593DC67FD)]
    [InlineData(7, 0xAB0200F58B01D137)]
    [InlineData(8, 0x93F5F5799A932462)]
    [InlineData(15, 0xA129CA6149BE45E5)]
    public void Compute_TwoFourRounds_MatchesThePublishedVectors(int messageBytes, ulong expected) =>
        Assert.Equal(expected, SipHash.Compute(Counting(messageBytes), PaperKey0, PaperKey1, 2, 4));

    // Key zero: hash(bytes) of CPython 3.11 with PYTHONHASHSEED=0, an implementation that is not ours.
    [Theory]
    [InlineData(1, 0x68A914128E01E473)]
    [InlineData(7, 0x2F098AB0C751325A)]
    [InlineData(8, 0xEAD411E67EBE2EEA)]
    [InlineData(15, 0xF30EB725BB91C9EA)]
    [InlineData(28, 0x8CD57FE8130D0AC7)]
    public void Hash_OneThreeRounds_MatchesAnotherImplementation(int messageBytes, ulong expected) =>
        Assert.Equal(expected, new KeyedHash(0, 0).Hash(Counting(messageBytes)));

    [Fact]
    public void Hash_WordsInsteadOfBytes_IsTheSame()
    {
        byte[] message = Counting(28);
        var hash = new KeyedHash(PaperKey0, PaperKey1);
        ulong first = BinaryPrimitives.ReadUInt64LittleEndian(message);
        ulong second = BinaryPrimitives.ReadUInt64LittleEndian(message.AsSpan(8));
        ulong third = BinaryPrimitives.ReadUInt64LittleEndian(message.AsSpan(16));
        uint last = BinaryPrimitives.ReadUInt32LittleEndian(message.AsSpan(24));
        Assert.Equal(hash.Hash(message.AsSpan(0, 8)), hash.Hash(first));
        Assert.Equal(hash.Hash(message), hash.Hash(first, second, third, last));
    }

    [Fact]
    public void CreateRandom_Twice_GivesDifferentKeys() =>
        Assert.NotEqual(KeyedHash.CreateRandom().Hash(1UL), KeyedHash.CreateRandom().Hash(1UL));

    [Fact]
    public void SysRandom_Fill_FillsAllOfIt()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "getrandom(2) is a call of Linux");
        byte[] first = new byte[1000];
        byte[] second = new byte[1000];

        Assert.True(SysRandom.TryFill(first));
        Assert.True(SysRandom.TryFill(second));

        // In 64 random bytes one is not zero, and two such spans are not alike.
        for (int i = 0; i + 64 < first.Length; i += 64)
        {
            Assert.NotEqual(new byte[64], first[i..(i + 64)]);
            Assert.NotEqual(second[i..(i + 64)], first[i..(i + 64)]);
        }
    }

    private static byte[] Counting(int count) => [.. Enumerable.Range(0, count).Select(value => (byte)value)];
}
