using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Tests.Cli.Iperf.Iperf3.Wire;

public sealed class Iperf3DatagramTests
{
    [Theory]
    [InlineData(false, "0000000300000005FFFFFFFE")]
    [InlineData(true, "000000030000000500000001FFFFFFFE")]
    public void Write_EitherCounter_IsInNetworkOrder(bool is64, string expected)
    {
        byte[] datagram = new byte[Iperf3Datagram.HeaderBytes(is64)];

        Iperf3Datagram.Write(datagram, 3_000_005_999, 0x1_FFFF_FFFE, is64);

        Assert.Equal(expected, Convert.ToHexString(datagram));
        Assert.True(Iperf3Datagram.TryRead(datagram, is64, out long sent, out ulong counter));
        Assert.Equal((3_000_005_000, is64 ? 0x1_FFFF_FFFEul : 0xFFFF_FFFEul), (sent, counter));
    }

    [Theory]
    [InlineData(false, 11)]
    [InlineData(true, 15)]
    [InlineData(true, 0)]
    public void TryRead_ShorterThanTheHeader_IsFalse(bool is64, int length) =>
        Assert.False(Iperf3Datagram.TryRead(new byte[length], is64, out _, out _));

    [Fact]
    public void TryRead_LargestNumbers_DoNotOverflow()
    {
        byte[] datagram = new byte[16];
        datagram.AsSpan().Fill(byte.MaxValue);

        Assert.True(Iperf3Datagram.TryRead(datagram, is64: true, out long sent, out ulong counter));
        Assert.Equal((4_294_967_295_000_000_000 + 4_294_967_295_000, ulong.MaxValue), (sent, counter));
    }

    [Theory]
    [InlineData("36373839", true)]
    [InlineData("B168DE3A", true)]
    [InlineData("39383736", true)]
    [InlineData("3ADE68B1", true)]
    [InlineData("15CD5B07", false)]
    [InlineData("3637383900", false)]
    [InlineData("363738", false)]
    [InlineData("", false)]
    public void IsConnectReply_OfEveryVersion_IsTaken(string hex, bool isReply) =>
        Assert.Equal(isReply, Iperf3Datagram.IsConnectReply(Convert.FromHexString(hex)));

    [Fact]
    public void ConnectDatagrams_OfBothKinds_AreThoseOfTheProtocol()
    {
        Assert.Equal("39383736", Convert.ToHexString(Iperf3Datagram.ConnectRequest));
        Assert.Equal("36373839", Convert.ToHexString(Iperf3Datagram.ConnectReply));
        Assert.Equal(123_456_789, BitConverter.ToInt32(Iperf3Datagram.LegacyConnectRequest));
        Assert.Equal(987_654_321, BitConverter.ToInt32(Iperf3Datagram.LegacyConnectReply));
    }

    [Theory]
    [InlineData(121, 0, "the server is busy running a test: try again later")]
    [InlineData(131, 22, "the protocol does not exist at the server")]
    [InlineData(-77, 0, "unknown error -77")]
    [InlineData(200, -3, "a stream could not be created: error -3 of its system")]
    [InlineData(int.MinValue, int.MaxValue, "unknown error -2147483648: error 2147483647")]
    public void TextOf_AnyNumbers_IsOneLine(int code, int errno, string expected)
    {
        string text = Iperf3Error.TextOf(code, errno);

        Assert.StartsWith(expected, text, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', text);
    }

    [Fact]
    public void TextOf_SystemsError_IsInItsWords()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the numbers of errors are those of Linux");

        Assert.Equal("the CPU affinity could not be set: Invalid argument", Iperf3Error.TextOf(132, 22));
    }
}
