using Spate.Measurement.Counting;

namespace Spate.Tests.Measurement.Counting;

public sealed class SequenceLengthsTests
{
    /// <summary>Numbers of datagrams may be forged, so lengths may add up to more than a sum can hold.</summary>
    [Fact]
    public void Mean_SumIsOverTheLargestNumber_LiesAmongTheLengths()
    {
        const long length = 1L << 62;
        var lengths = new LengthHistogram();
        var others = new LengthHistogram();
        for (int i = 0; i < 3; i++) others.Add(length);

        lengths.Add(length);
        lengths.Add(others);

        Assert.Equal((4, long.MaxValue, (double)length), (lengths.Count, lengths.Sum, lengths.Mean));
    }
}
