using Spate.Cli.Iperf.Iperf3.Flows;
using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Tests.Cli.Iperf.Iperf3.Flows;

public sealed class FigureCheckTests
{
    private const long Bytes = 1000;

    [Theory]
    [InlineData(true, 100, 0, 100_000, false)]
    [InlineData(true, 0, 0, 0, false)]
    [InlineData(true, 90, 90, 0, false)]
    [InlineData(true, 90, -2, 92_000, false)]
    [InlineData(true, 100, 0, 250_000, false)]
    [InlineData(true, 100, 101, 0, true)]
    [InlineData(true, 101, 0, 101_000, true)]
    [InlineData(true, 100, 0, 500_000, true)]
    [InlineData(false, 100, 0, 100_000, false)]
    [InlineData(false, 900, 0, 900_000, false)]
    [InlineData(false, 0, 0, 0, true)]
    public void IsImpossible_HundredDatagramsHere_IsOnlyWhatCannotBe(
        bool sends, long packets, long errors, long bytes, bool expected)
    {
        var ours = new Iperf3StreamResult { Id = 1, Packets = 100, Bytes = 100 * Bytes };
        var theirs = new Iperf3StreamResult { Id = 1, Packets = packets, Errors = errors, Bytes = bytes };

        Assert.Equal(expected, FigureCheck.IsImpossible(sends, ours, theirs, numbered: 100, hasOmitted: false));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void IsImpossible_WithOmittedSeconds_IsOnlyWhatIsNegative(bool isNegative)
    {
        var ours = new Iperf3StreamResult { Id = 1, Packets = 100, Bytes = 100 * Bytes };
        var theirs = new Iperf3StreamResult { Id = 1, Errors = 7, HasNegative = isNegative };

        Assert.Equal(isNegative, FigureCheck.IsImpossible(sends: true, ours, theirs, numbered: 100, hasOmitted: true));
    }
}
