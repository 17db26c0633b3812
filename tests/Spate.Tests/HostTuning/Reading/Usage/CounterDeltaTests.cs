using Spate.HostTuning.Reading.Usage;

namespace Spate.Tests.HostTuning.Reading.Usage;

public sealed class CounterDeltaTests
{
    [Theory]
    [InlineData(7L, 3L, 4L)]
    [InlineData(0L, 0L, 0L)]
    [InlineData(3L, 7L, null)]
    [InlineData(long.MaxValue, 0L, long.MaxValue)]
    [InlineData(null, 7L, null)]
    [InlineData(7L, null, null)]
    public void Wide_TwoReadings_AreSubtractedUnlessItWentBack(long? later, long? earlier, long? expected) =>
        Assert.Equal(expected, CounterDelta.Wide(later, earlier));

    [Theory]
    [InlineData(7L, 3L, 4L)]
    [InlineData(16L, 0xFFFF_FFF0L, 32L)] // wrapped
    [InlineData(5L, 100L, null)] // begun anew
    [InlineData(0x7FFF_FFFEL, 0xFFFF_FFFFL, 0x7FFF_FFFFL)]
    [InlineData(0x7FFF_FFFFL, 0xFFFF_FFFFL, null)]
    [InlineData(0x1_0000_0010L, 0x1_FFFF_FFF0L, 32L)] // one of two summed counters wrapped
    [InlineData(0x2_0000_0000L, 0L, 0x2_0000_0000L)]
    [InlineData(null, 7L, null)]
    [InlineData(7L, null, null)]
    public void Narrow_TwoReadings_AreSubtractedThroughAWrap(long? later, long? earlier, long? expected) =>
        Assert.Equal(expected, CounterDelta.Narrow(later, earlier));

    [Fact]
    public void Narrow_SumsOfCountersThatWrap_GiveWhatWasCounted()
    {
        Random random = RandomCase.Create();
        for (int round = 0; round < 1000; round++)
        {
            long[] counters = [.. Enumerable.Range(0, random.Next(1, 9)).Select(_ => random.NextInt64(1L << 32))];
            long before = counters.Sum();
            long counted = 0;
            for (int i = 0; i < counters.Length; i++)
            {
                long more = random.NextInt64((1L << 31) / counters.Length);
                counters[i] = (counters[i] + more) % (1L << 32);
                counted += more;
            }

            Assert.Equal(counted, CounterDelta.Narrow(counters.Sum(), before));
        }
    }
}
