using Spate.Cli.Iperf.Iperf2.Wire;

namespace Spate.Tests.Cli.Iperf.Iperf2.Wire;

/// <summary>Numbers and times as iperf 2.1.8 wrote them, and as nobody should.</summary>
public sealed class Iperf2HeaderTests
{
    // The 20th datagram of a run of iperf 2.1.8, and the one that ended it.
    private const string Data = "000000146b039a900000db9c00000000480100980000000100006 1a9";
    private const string End = "ffffffeb6b039a900002a72dffffffff480100980000000100006 1a9";

    [Fact]
    public void TryRead_RealDatagrams_HaveTheirNumbers()
    {
        Assert.True(Iperf2Header.TryRead(Bytes(Data), isWide: true, out Iperf2Header data));
        Assert.True(Iperf2Header.TryRead(Bytes(End), isWide: true, out Iperf2Header end));
        Assert.True(Iperf2Header.TryRead(Bytes(End), isWide: false, out Iperf2Header narrow));

        Assert.Equal((20, (0x6b039a90L * 1_000_000_000) + (0xdb9c * 1000L)), (data.Number, data.SentNanoseconds));
        Assert.Equal(-21, end.Number);
        Assert.Equal(-21, narrow.Number);
        Assert.True(Iperf2Settings.Read(Bytes(Data)) is { IsWide: true, Reverse: Iperf2Reverse.None });
    }

    [Theory]
    [InlineData(1)]
    [InlineData(int.MaxValue)]
    [InlineData(1L << 31)]
    [InlineData((1L << 32) + 5)]
    [InlineData(-1)]
    [InlineData(-(1L << 40))]
    public void Write_AnyNumber_IsReadBack(long number)
    {
        byte[] payload = new byte[Iperf2Header.Bytes];

        new Iperf2Header(number, 1_700_000_000_123_456_000).Write(payload);

        Assert.True(Iperf2Header.TryRead(payload, isWide: true, out Iperf2Header read));
        Assert.Equal(new Iperf2Header(number, 1_700_000_000_123_456_000), read);
    }

    [Fact]
    public void TryRead_OfEveryLength_RefusesTheShortOnes()
    {
        for (int length = 0; length <= Iperf2Header.Bytes; length++)
        {
            Assert.Equal(length >= Iperf2Header.MinBytes, Iperf2Header.TryRead(new byte[length], true, out _));
        }
    }

    [Fact]
    public void TryRead_NumberAlone_HasNoTime()
    {
        Assert.True(Iperf2Header.TryRead(Bytes("0000014e"), isWide: true, out Iperf2Header header));

        Assert.Equal(new Iperf2Header(334, SentNanoseconds: 0), header);
    }

    [Theory]
    [InlineData("c8010099", "00000000", Iperf2Reverse.Together, false)] // -d
    [InlineData("c8010098", "00000000", Iperf2Reverse.After, false)] // -r
    [InlineData("6c010098", "04000000", Iperf2Reverse.None, true)] // -R
    [InlineData("6c010098", "08080000", Iperf2Reverse.None, true)] // --full-duplex
    [InlineData("680100d8", "00100000", Iperf2Reverse.None, false)] // --trip-times
    [InlineData("48010098", "00000000", Iperf2Reverse.None, false)]
    internal void Settings_FlagsOfRealClients_TellWhoAsksForData(
        string flags, string upper, Iperf2Reverse reverse, bool isOtherwise)
    {
        byte[] payload = Bytes("00000001" + Zeros(12) + flags + Zeros(28) + upper + Zeros(24));

        Assert.Equal(reverse, Iperf2Settings.Read(payload).Reverse);
        Assert.Equal(isOtherwise, Iperf2Settings.Read(payload).AsksOtherwise);
        Assert.True(Iperf2Settings.Read(payload).IsWide);
    }

    [Fact]
    public void Settings_OldClientsAndText_AreNotWide()
    {
        byte[] old = Bytes("00000001" + "6b039ae1" + "000da988" + "80000001" + "00000001" + "00001389" + "000005be"
            + "000f4240" + "fffffc18");
        byte[] text = Bytes("00000001" + "6b039aec" + "00074a98" + "00000000" + "36373839" + "30313233");

        Assert.Equal(
            new Iperf2Settings
            {
                Reverse = Iperf2Reverse.Together,
                FlowCount = 1,
                Port = 5001,
                SizeBytes = 1470,
                BitsPerSecond = 1_000_000,
                Amount = -1000,
            },
            Iperf2Settings.Read(old));
        Assert.Equal(default, Iperf2Settings.Read(text));
        Assert.Equal(default, Iperf2Settings.Read(old.AsSpan(0, 35)));
        Assert.Equal(default, Iperf2Settings.Read(new byte[19]));
    }

    [Theory]
    [InlineData(16)]
    [InlineData(20)]
    [InlineData(75)]
    [InlineData(76)]
    [InlineData(1470)]
    public void Settings_WrittenToAnySize_StayWithinIt(int sizeBytes)
    {
        byte[] payload = new byte[sizeBytes];

        var settings = new Iperf2Settings
        {
            IsWide = true,
            Reverse = Iperf2Reverse.After,
            FlowCount = 3,
            Port = 5001,
            SizeBytes = 1470,
            BitsPerSecond = 10_000_000_001,
            Amount = -1000,
        };

        settings.Write(payload);

        Assert.Equal(sizeBytes >= 20, Iperf2Settings.Read(payload).IsWide);
        if (sizeBytes >= Iperf2Settings.Bytes) Assert.Equal(settings, Iperf2Settings.Read(payload));
        Assert.Equal(new byte[Iperf2Header.Bytes], payload[..Iperf2Header.Bytes]);
    }

    private static string Zeros(int bytes) => new('0', 2 * bytes);

    private static byte[] Bytes(string hex) => Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal));
}
