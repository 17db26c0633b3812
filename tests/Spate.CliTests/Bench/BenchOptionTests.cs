using System.CommandLine;
using Spate.Cli.Bench;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;

namespace Spate.CliTests.Bench;

/// <summary>An option has the same name and the same help text in every bench.</summary>
public sealed class BenchOptionTests
{
    // These options mean something else in each bench: --count counts datagrams, sockets or pings, --peers are programs
    // or sessions, and --cpu names different threads.
    private static readonly string[] OwnMeaning = ["--count", "--peers", "--cpu"];

    private static readonly string?[] HelpNames =
        ["LIST", "LIST|auto", "N", "S", "BYTES", "RATE", "HOW", "FILE|-", "CONDITION", "cpu", null];

    private static readonly Command[] BenchNames = Benches();

    [Fact]
    public void Options_OfOneName_ReadAlikeInEveryBench()
    {
        IEnumerable<IGrouping<string, Option>> shared = BenchNames
            .SelectMany(static bench => bench.Options)
            .GroupBy(static option => option.Name, StringComparer.Ordinal)
            .Where(group => group.Count() > 1 && !OwnMeaning.Contains(group.Key, StringComparer.Ordinal));

        string[] names = [.. shared.Select(static group => group.Key)];
        Assert.Superset(
            new HashSet<string>(["--size", "--seconds", "--quick", "--json", "--rows"], StringComparer.Ordinal),
            new HashSet<string>(names, StringComparer.Ordinal));
        Assert.All(shared, static group => Assert.Single(
            group.Select(TextOf).Distinct(StringComparer.Ordinal)));
    }

    [Fact]
    public void Options_OfOneText_HaveOneNameInEveryBench() => Assert.All(
        BenchNames.SelectMany(static bench => bench.Options).GroupBy(TextOf, StringComparer.Ordinal),
        static group => Assert.Single(group.Select(static option => option.Name).Distinct(StringComparer.Ordinal)));

    [Fact]
    public void Options_WithADefault_SayItInOneWay()
    {
        Option[] options = [.. BenchNames.SelectMany(static bench => bench.Options)];

        Assert.All(options, static option =>
        {
            Assert.DoesNotContain("(the default)", option.Description, StringComparison.Ordinal);
            Assert.Contains(option.HelpName, HelpNames, StringComparer.Ordinal);
        });
        Assert.All(
            options.Where(static option => option.Name is "--size" or "--seconds" or "--count" or "--cpu" or "--rows"),
            static option => Assert.Contains("Default: ", option.Description, StringComparison.Ordinal));
    }

    [Fact]
    public void Seconds_EveryBench_SaysTheTimeThatItTakes()
    {
        foreach (Command bench in BenchNames)
        {
            if (bench.Options.FirstOrDefault(static option => option.Name is "--seconds") is { } seconds)
            {
                Assert.Matches(@"Default: [0-9]+, at least [0-9]+; with --quick [0-9]+\.$", seconds.Description);
            }
        }
    }

    [Theory]
    [InlineData("1,10k", new[] { 1, 10_000 })]
    [InlineData("1m", new[] { 1_000_000 })]
    [InlineData(null, null)]
    public void NumberList_AnyBench_TakesThousandsAndMillions(string? text, int[]? expected) =>
        Assert.Equal(expected, Read(text));

    [Theory]
    [InlineData("")]
    [InlineData("1,,2")]
    [InlineData("1,1")]
    [InlineData("1,2,3")]
    [InlineData("0")]
    [InlineData("1000001")]
    public void NumberList_NoList_IsWrongUse(string text) =>
        Assert.Equal(ExitCode.WrongUse, Assert.Throws<CommandException>(() => Read(text)).ExitCode);

    private static int[]? Read(string? text)
    {
        Option<string?> option = OptionText.Create("--count", "LIST", "Numbers.");
        var command = new Command("some") { option };
        return NumberList.ReadCounts(
            command.Parse(text is null ? [] : ["--count", text]), option, 1, 1_000_000, "1,10", maxCount: 2);
    }

    private static Command[] Benches()
    {
        Command bench = BenchCommand.Create(new Streams { Output = TextWriter.Null, Error = TextWriter.Null });
        return [bench, .. bench.Subcommands];
    }

    /// <summary>The help text of an option without its default, and without the note that it takes several.</summary>
    private static string TextOf(Option option) => option.Description!
        .Split(" Default: ")[0]
        .Replace(", one or several.", ".", StringComparison.Ordinal);
}
