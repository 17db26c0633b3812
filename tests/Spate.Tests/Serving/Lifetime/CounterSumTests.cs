using System.Reflection;
using Spate.Serving.Lifetime;

namespace Spate.Tests.Serving.Lifetime;

/// <summary>The counters of several sockets add up, and what cannot be added is not taken from one of them.</summary>
public sealed class CounterSumTests
{
    private static readonly PropertyInfo[] Counts =
        [.. typeof(UdpCounters).GetProperties().Where(property =>
            property.PropertyType == typeof(long)
            || property.PropertyType == typeof(long?))];

    [Fact]
    public void Of_TwoSockets_AddsEveryCount()
    {
        object first = new UdpCounters();
        object second = new UdpCounters();
        for (int i = 0; i < Counts.Length; i++)
        {
            Counts[i].SetValue(first, 1L << i);
            Counts[i].SetValue(second, 1000L * (i + 1));
        }

        UdpCounters sum = CounterSum.Of([(UdpCounters)first, (UdpCounters)second]);

        Assert.NotEmpty(Counts);
        for (int i = 0; i < Counts.Length; i++) Assert.Equal((1L << i) + (1000L * (i + 1)), Counts[i].GetValue(sum));
    }

    [Theory]
    [InlineData(UdpDropUnit.Datagrams, UdpDropUnit.Datagrams, UdpDropUnit.Datagrams)]
    [InlineData(UdpDropUnit.CoalescedBuffers, UdpDropUnit.CoalescedBuffers, UdpDropUnit.CoalescedBuffers)]
    [InlineData(UdpDropUnit.CoalescedBuffers, UdpDropUnit.Datagrams, UdpDropUnit.None)]
    public void Of_UnitsOfDrops_AreKeptWhereTheyAgree(UdpDropUnit first, UdpDropUnit second, UdpDropUnit expected)
    {
        UdpCounters sum = CounterSum.Of([new() { KernelDropUnit = first }, new() { KernelDropUnit = second }]);
        Assert.Equal(expected, sum.KernelDropUnit);
    }

    [Fact]
    public void Of_DropsOfOneSocketUnknown_AreUnknown() =>
        Assert.Null(CounterSum.Of([new() { KernelDrops = 5 }, new()]).KernelDrops);
}
