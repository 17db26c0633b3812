using System.Reflection;
using Spate.Serving;

namespace Spate.Tests.Serving;

public sealed class UdpServerDesignTests
{
    [Fact]
    public void All_OfBothTypes_HasEachDesignOnceAndThoseToChooseFirst()
    {
        UdpServerDesign[] toChoose = Properties(typeof(UdpServerDesign));
        UdpServerDesign[] forComparison = Properties(typeof(UdpComparisonDesigns));

        Assert.Equal([.. toChoose, .. forComparison], UdpServerDesign.All);
        Assert.All(toChoose, design => Assert.False(design.IsForComparison));
        Assert.All(forComparison, design => Assert.True(design.IsForComparison));
        Assert.Distinct(UdpServerDesign.All.Select(design => design.Name), StringComparer.Ordinal);
    }

    [Fact]
    public void Name_EachDesign_ReadsBackAndIsItsText() => Assert.All(UdpServerDesign.All, design =>
    {
        Assert.True(UdpServerDesign.TryParse(design.Name, out UdpServerDesign? found));
        Assert.Same(design, found);
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
    }

    [Fact]
    public void HasReceivingThread_EachDesign_IsThatOfReaders() => Assert.Equal(
        [UdpServerDesign.ReaderWorkers, UdpComparisonDesigns.Ring],
        UdpServerDesign.All.Where(design => design.HasReceivingThread));

    private static UdpServerDesign[] Properties(Type type) =>
    [
        .. type.GetProperties(BindingFlags.Public | BindingFlags.Static)
            .Where(property => property.PropertyType == typeof(UdpServerDesign))
            .Select(property => (UdpServerDesign)property.GetValue(null)!),
    ];
}
