namespace Spate.CliTests;

public sealed class PlaceholderTests
{
    [Fact]
    public void Two_Added_IsFour() => Assert.Equal(4, 2 + 2);
}
