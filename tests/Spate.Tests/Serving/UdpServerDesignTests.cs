using System.Reflection;
using Spate.Measurement.Traffic;
using Spate.Serving;

namespace Spate.Tests.Serving;

public sealed class UdpServerDesignTests
{
    [Fact]
    public void All_OfEachType_HasItsDesigns()
    {
        UdpServerDesign[] toChoose = Properties(typeof(UdpServerDesign));
        UdpServerDesign[] forComparison = Properties(typeof(UdpComparisonDesigns));

        Assert.Equal(toChoose, UdpServerDesign.All);
        Assert.Equal(forComparison, UdpComparisonDesigns.All);
        Assert.Equal(
            toChoose.Concat(forComparison).OrderBy(static one => one.Name, StringComparer.Ordinal),
            ServerDesigns.All.OrderBy(static one => one.Name, StringComparer.Ordinal));
        Assert.All(toChoose, design => Assert.False(design.IsForComparison));
        Assert.All(forComparison, design => Assert.True(design.IsForComparison));
        Assert.Distinct(ServerDesigns.All.Select(design => design.Name), StringComparer.Ordinal);
    }

    [Fact]
    public void Name_EachDesign_ReadsBackAndIsItsText() => Assert.All(ServerDesigns.All, design =>
    {
        Assert.True(UdpServerDesign.TryParse(design.Name, out UdpServerDesign? found));
        Assert.Same(design, found);
        Assert.Same(design, UdpServerDesign.Parse(design.Name));
        Assert.Equal(design.Name, design.ToString());
    });

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("0")]
    [InlineData("Sharded")]
    [InlineData("readerworkers")]
    public void TryParse_NoName_IsFalse(string? name)
    {
        Assert.False(UdpServerDesign.TryParse(name, out UdpServerDesign? design));
        Assert.Null(design);
        if (name is null) Assert.Throws<ArgumentNullException>(() => UdpServerDesign.Parse(name!));
        else Assert.Contains("ring", Assert.Throws<FormatException>(() => UdpServerDesign.Parse(name)).Message);
    }

    [Fact]
    public void HasReceivingThread_EachDesign_IsThatOfReaders() => Assert.Equal(
        [UdpServerDesign.ReaderWorkers, UdpComparisonDesigns.Ring],
        UdpServerDesign.All.Concat(UdpComparisonDesigns.All).Where(design => design.HasReceivingThread));

    private static UdpServerDesign[] Properties(Type type) =>
    [
        .. type.GetProperties(BindingFlags.Public | BindingFlags.Static)
            .Where(property => property.PropertyType == typeof(UdpServerDesign))
            .Select(property => (UdpServerDesign)property.GetValue(null)!),
    ];
}
