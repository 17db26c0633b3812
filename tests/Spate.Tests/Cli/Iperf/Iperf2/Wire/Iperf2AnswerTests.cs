using Spate.Cli.Iperf;
using Spate.Cli.Iperf.Iperf2.Wire;

namespace Spate.Tests.Cli.Iperf.Iperf2.Wire;

/// <summary>The answer to the end of a flow.</summary>
public sealed class Iperf2AnswerTests
{
    // What iperf 2.1.8 answered to 20 datagrams of 1470 bytes and the one that ended them.
    private const string Real =
        "000000000000000000000000000000008800000000000000000078960000000200039 68d000000000000000000000015"
        + "0000000000000016";

    [Fact]
    public void Read_RealAnswer_HasItsFigures()
    {
        byte[] real = Convert.FromHexString(Real.Replace(" ", "", StringComparison.Ordinal));

        Iperf2ServerReport report = Iperf2Answer.Read(real)!;

        Assert.Equal(new IperfCounts(30_870, Lost: 0, Total: 21, OutOfOrder: 0, 22e-6), report.Counts);
        Assert.Equal(2.235149, report.Seconds, 1e-9);
    }

    [Theory]
    [InlineData(56, 1234)]
    [InlineData(127, 1234)]
    [InlineData(128, 1234)]
    [InlineData(128, 1L << 33)]
    public void Write_AnyLength_IsReadBack(int length, long total)
    {
        byte[] payload = new byte[length];
        payload.AsSpan().Fill(0xee);
        var report = new Iperf2ServerReport(12.5, new IperfCounts(1L << 40, 7, total, 3, 0.000123));

        Iperf2Answer.Write(payload, report);

        Assert.Equal(report, Iperf2Answer.Read(payload));
    }

    [Fact]
    public void LengthFor_AnyRequest_IsNeverLonger()
    {
        for (int length = 0; length < 300; length++)
        {
            Assert.InRange(Iperf2Answer.LengthFor(length), 0, Math.Min(length, Iperf2Answer.Bytes));
            Assert.Equal(length >= Iperf2Answer.MinBytes, Iperf2Answer.LengthFor(length) > 0);
        }
    }

    [Fact]
    public void Read_Random_NeverFailsAndNeverCountsBelowZero()
    {
        Random random = RandomCase.Create();
        for (int i = 0; i < 20_000; i++)
        {
            byte[] payload = new byte[random.Next(200)];
            random.NextBytes(payload);

            if (Iperf2Answer.Read(payload) is not { } report) continue;

            Assert.True(report.Counts is { Bytes: >= 0, Lost: >= 0, Total: >= 0, OutOfOrder: >= 0 });
            Assert.True(double.IsFinite(report.Seconds));
        }
    }
}
