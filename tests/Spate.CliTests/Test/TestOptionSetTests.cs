using System.Net;
using Spate.Cli.Test;

namespace Spate.CliTests.Test;

public sealed class TestOptionSetTests
{
    public static TheoryData<string, string[]> WrongUses { get; } = new()
    {
        { "a test needs -s on one host", ["test"] },
        { "-s and -c exclude each other", ["test", "-s", "-c", "localhost"] },
        { "-c needs a value", ["test", "-c"] },
        { "--size has no effect with -s", ["test", "-s", "--size", "64"] },
        { "--flows has no effect with -s", ["test", "-s", "--flows", "2"] },
        { "--reverse has no effect with -s", ["test", "-s", "-R"] },
        { "--max-clients has no effect with -c", ["test", "-c", "localhost", "--max-clients", "2"] },
        { "-R and --bidir exclude each other", ["test", "-c", "localhost", "-R", "--bidir"] },
        { "a test has at most 64", ["test", "-c", "localhost", "--flows", "65"] },
        { "--size '23'", ["test", "-c", "localhost", "--size", "23"] },
        { "--verify needs room", ["test", "-c", "localhost", "--size", "32", "--verify"] },
        { "--verify has no effect with -s", ["test", "-s", "--verify"] },
        { "--pace 'nap'", ["test", "-c", "localhost", "--rate", "1k", "--pace", "nap"] },
        { "--pace has no effect without", ["test", "-c", "localhost", "--rate", "max", "--pace", "spin"] },
        { "--pace has no effect with -s", ["test", "-s", "--pace", "spin"] },
        { "--dscp '64'", ["test", "-c", "localhost", "--dscp", "64"] },
        { "--remote-cpu x", ["test", "-c", "localhost", "--remote-cpu", "x"] },
        { "--max-rate '5Gbit'", ["test", "-s", "--max-rate", "5Gbit"] },
        { "--label", ["test", "-c", "localhost", "--label", new string('x', 65)] },
        { "a key of 0 bytes", ["test", "-s", "--key-file", "/dev/null"] },

        // Wrong options are reported before an unreadable file.
        { "-R and --bidir exclude", ["test", "-c", "localhost", "-R", "--bidir", "--key-file", "/no/file"] },
        { "--dscp '99'", ["test", "-c", "localhost", "--dscp", "99", "--key-file", "/no/file"] },
        { "--verify needs room", ["test", "-c", "localhost", "--size", "32", "--verify", "--key-file", "/no/file"] },
    };

    [Theory]
    [InlineData(3, true, null, 3, 3)]
    [InlineData(100, true, null, 64, 64)]
    [InlineData(3, true, 2, 2, 2)]
    [InlineData(3, true, 5, 3, 5)]
    [InlineData(3, false, null, 1, 1)]
    [InlineData(3, false, 4, 1, 4)]
    public void Spread_AddressesOfAName_UsesAllThatAreAskedFor(
        int found, bool isAll, int? named, int expectedEnds, int expectedFlows)
    {
        IPEndPoint[] ends = [.. Enumerable.Range(1, found).Select(static i => new IPEndPoint(i, 9))];

        (List<IPEndPoint> used, int flows) = TestOptionSet.Spread(ends, isAll, named);

        Assert.Equal(ends.Take(expectedEnds), used);
        Assert.Equal(expectedFlows, flows);
    }

    [Theory]
    [MemberData(nameof(WrongUses))]
    public async Task WrongUse_OfATest_IsOneClearLineAndExitCodeTwo(string expected, string[] arguments)
    {
        ToolResult result = await Tool.RunAsync(arguments);

        Assert.Equal(2, result.ExitCode);
        Assert.Empty(result.Output);
        Assert.Contains(expected, Assert.Single(result.ErrorLines), StringComparison.Ordinal);
    }
}
