using System.CommandLine;
using Spate.Build.Mutants;
using Spate.Build.Sbom;
using Spate.Build.Tests;

namespace Spate.RepoTests;

/// <summary>Values that the build's tool refuses before it begins.</summary>
public sealed class BuildOptionTests
{
    [Theory]
    [InlineData("tests --output . --parallel 3", true)]
    [InlineData("tests --output .", true)]
    [InlineData("tests --output . --parallel 0", false)]
    [InlineData("tests --output . --parallel -1", false)]
    [InlineData("tests --output . --parallel x", false)]
    [InlineData("tests --output . --max-seconds -5", false)]
    [InlineData("tests --output . --max-seconds 9999999", false)]
    [InlineData("mutants draw --seed -1", true)]
    [InlineData("mutants draw --seed 1 --count -3", false)]
    [InlineData("mutants run --seconds -5", false)]
    [InlineData("mutants run --seconds 0", false)]
    [InlineData("sbom --output . --created 0", true)]
    [InlineData("sbom --output . --created 0 --runtime A/1", true)]
    [InlineData("sbom --output . --created 0 --runtime A", false)]
    [InlineData("sbom --output . --created 0 --runtime A/1/2", false)]
    [InlineData("sbom --output .", false)]
    [InlineData("sbom --output . --created -1", false)]
    [InlineData("sbom --output . --created 99999999999999", false)]
    [InlineData("sbom --output . --created 99999999999999999999", false)]
    public void Parse_Value_IsTakenWithinItsRangeOnly(string line, bool isTaken)
    {
        var root = new RootCommand { TestsCommand.Create(), MutantsCommand.Create(), SbomCommand.Create() };

        Assert.Equal(isTaken, root.Parse(line).Errors.Count == 0);
    }
}
