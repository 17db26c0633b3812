using Spate.HostTuning.Reading.Cpus;

namespace Spate.Tests.HostTuning.Reading.Cpus;

public sealed class CpuListTests
{
    [Theory]
    [InlineData("0", new[] { 0 })]
    [InlineData("0-3", new[] { 0, 1, 2, 3 })]
    [InlineData("8,0-1", new[] { 0, 1, 8 })]
    [InlineData(" 0-1, 1-2\n", new[] { 0, 1, 2 })]
    [InlineData("", new int[0])]
    [InlineData(null, new int[0])]
    public void TryParse_List_GivesSortedNumbers(string? text, int[] expected)
    {
        Assert.True(CpuList.TryParse(text, out IReadOnlyList<int> numbers));
        Assert.Equal(expected, numbers);
    }

    [Theory]
    [InlineData("a")]
    [InlineData("1,,2")]
    [InlineData("3-1")]
    [InlineData("-1")]
    [InlineData("1-")]
    [InlineData("0-4000000000")]
    [InlineData("65536")]
    public void TryParse_NoList_IsRefusedWithNothing(string text)
    {
        Assert.False(CpuList.TryParse(text, out IReadOnlyList<int> numbers));
        Assert.Empty(numbers);
    }

    [Theory]
    [InlineData(new[] { 3, 2, 1, 0, 8 }, "0-3,8")]
    [InlineData(new[] { 5, 5 }, "5")]
    [InlineData(new[] { 0, 1, 3, 4, 6 }, "0-1,3-4,6")]
    [InlineData(new int[0], "")]
    public void Format_Numbers_JoinsNeighbours(int[] numbers, string expected) =>
        Assert.Equal(expected, CpuList.Format(numbers));

    [Fact]
    public void TryParse_WhatFormatWrote_GivesTheSameNumbers()
    {
        int seed = int.TryParse(Environment.GetEnvironmentVariable("SPATE_SEED"), out int given)
            ? given
            : Random.Shared.Next();
        TestContext.Current.TestOutputHelper?.WriteLine($"SPATE_SEED={seed}");
        var random = new Random(seed);
        for (int round = 0; round < 1000; round++)
        {
            int[] numbers = [.. Enumerable.Range(0, random.Next(1, 40)).Select(_ => random.Next(0, 64)).Distinct()];
            Assert.True(CpuList.TryParse(CpuList.Format(numbers), out IReadOnlyList<int> parsed));
            Assert.Equal(numbers.Order(), parsed);
        }
    }
}
