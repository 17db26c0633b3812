using Spate.Diagnostics;

namespace Spate.Tests.Diagnostics;

public sealed class NameTableTests
{
    [Fact]
    public void Of_MoreNamesThanAreKept_CountWithoutName()
    {
        NameTable names = new(2);
        NameCounts first = names.Of("a");
        names.Of("b");

        Assert.Null(names.Of("c").Name);
        Assert.Null(names.Of(null).Name);
        Assert.Same(names.Of(null), names.Of("c"));
        Assert.Same(first, names.Of("a"));
        Assert.Equal([null, "a", "b"], names.All.Select(counts => counts.Name), StringComparer.Ordinal);
    }
}
