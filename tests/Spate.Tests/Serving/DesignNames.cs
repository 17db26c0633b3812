using Spate.Serving;

namespace Spate.Tests.Serving;

/// <summary>Designs for attributes, which hold constants only.</summary>
internal static class DesignNames
{
    public static UdpServerDesign Find(string name)
    {
        Assert.True(UdpServerDesign.TryParse(name, out UdpServerDesign? design), $"no design is named {name}");
        return design;
    }
}
