using Spate.Segmentation;

namespace Spate.Tests.Segmentation;

public sealed class GroSplitterTests
{
    private static readonly int[] Hostile =
        [int.MinValue, int.MinValue + 1, -65_536, -1, 0, 1, 2, 63, 64, 1000, 65_535, int.MaxValue - 1, int.MaxValue];

    [Theory]
    [InlineData(0, 0, 1)]
    [InlineData(0, 100, 1)]
    [InlineData(100, 0, 1)]
    [InlineData(100, -1, 1)]
    [InlineData(100, 100, 1)]
    [InlineData(100, 101, 1)]
    [InlineData(101, 100, 2)]
    [InlineData(200, 100, 2)]
    [InlineData(201, 100, 3)]
    [InlineData(65_535, 1, 65_535)]
    [InlineData(int.MaxValue, int.MaxValue - 1, 2)]
    public void Count_AnySizes_RoundsUp(int totalBytes, int segmentBytes, int expectedCount) =>
        Assert.Equal(expectedCount, GroSplitter.Count(totalBytes, segmentBytes));

    [Theory]
    [InlineData(250, 100, 0, 0, 100)]
    [InlineData(250, 100, 1, 100, 100)]
    [InlineData(250, 100, 2, 200, 50)]
    [InlineData(250, 100, 3, 250, 0)]
    [InlineData(250, 0, 0, 0, 250)]
    [InlineData(250, 0, 1, 250, 0)]
    [InlineData(250, 300, 0, 0, 250)]
    [InlineData(0, 0, 0, 0, 0)]
    public void Bounds_Index_GivesItsDatagram(
        int totalBytes, int segmentBytes, int index, int expectedOffsetBytes, int expectedLengthBytes)
    {
        GroSplitter.Bounds(totalBytes, segmentBytes, index, out int offsetBytes, out int lengthBytes);

        Assert.Equal((expectedOffsetBytes, expectedLengthBytes), (offsetBytes, lengthBytes));
    }

    [Fact]
    public void Bounds_HostileValues_StayInside()
    {
        foreach (int totalBytes in Hostile)
        {
            foreach (int segmentBytes in Hostile)
            {
                Assert.InRange(GroSplitter.Count(totalBytes, segmentBytes), 1, Math.Max(1, totalBytes));
                foreach (int index in Hostile)
                {
                    GroSplitter.Bounds(totalBytes, segmentBytes, index, out int offsetBytes, out int lengthBytes);
                    Assert.InRange(offsetBytes, 0, Math.Max(0, totalBytes));
                    Assert.InRange(lengthBytes, 0, Math.Max(0, totalBytes) - offsetBytes);
                }
            }
        }
    }
}
