using Spate.Cli.Shell;
using Spate.Cli.Shell.Getopt;

namespace Spate.CliTests.Shell.Getopt;

public sealed class GetoptSyntaxTests
{
    private static readonly GetoptSyntax Syntax = new("spate some",
    [
        new("udp", 'u', GetoptArgument.None),
        new("reverse", 'R', GetoptArgument.None),
        new("bitrate", 'b', GetoptArgument.Required) { Aliases = ["bandwidth"] },
        new("bind", 'B', GetoptArgument.Required),
        new("bind-dev", '\0', GetoptArgument.Required),
        new("parallel", 'P', GetoptArgument.Required),
        new("parallel-tests", '\0', GetoptArgument.Required) { IsExactOnly = true },
        new("timestamps", '\0', GetoptArgument.Optional),
        new("version4", '4', GetoptArgument.None),
        new("", 'd', GetoptArgument.None),
    ]);

    /// <summary>A line, and what it is read as: options with their values, then the operands.</summary>
    public static TheoryData<string, string> Lines { get; } = new()
    {
        { "", "" },
        { "-u", "-u" },
        { "-uR4", "-u -R -4" },
        { "-b10M", "-b=10M" },
        { "-b 10M", "-b=10M" },
        { "-ub10M", "-u -b=10M" },
        { "-uRb 10M -4", "-u -R -b=10M -4" },
        { "-b=10M", "-b==10M" },
        { "-b -u", "-b=-u" },
        { "-b -- -u", "-b=-- -u" },
        { "--bitrate 10M", "--bitrate=10M" },
        { "--bitrate=10M", "--bitrate=10M" },
        { "--bitrate=", "--bitrate=" },
        { "--bandwidth=1=2", "--bandwidth=1=2" },
        { "--bit 1", "--bitrate=1" },
        { "--ban 1M", "--bandwidth=1M" },
        { "--ban=1M", "--bandwidth=1M" },
        { "--bind ::1", "--bind=::1" },
        { "--bind-d eth0", "--bind-dev=eth0" },
        { "--par=2", "--parallel=2" },
        { "--parallel-tests 3", "--parallel-tests=3" },
        { "--timestamps", "--timestamps" },
        { "--timestamps x", "--timestamps | x" },
        { "--timestamps=x", "--timestamps=x" },
        { "--time=", "--timestamps=" },
        { "-d", "-d" },
        { "one -u two -R", "-u -R | one two" },
        { "-u -- -R --bind", "-u | -R --bind" },
        { "- -u", "-u | -" },
        { "--", "" },
        { "-u -u", "-u -u" },
    };

    public static TheoryData<string, string> Mistakes { get; } = new()
    {
        { "--foo", "unrecognized option '--foo' (see spate some --help)" },
        { "--foo=1", "unrecognized option '--foo' (see" },
        { "--=1", "unrecognized option '--' (see" },
        { "--parallel-t 3", "unrecognized option '--parallel-t' (see" },
        { "-x", "unrecognized option '-x' (see" },
        { "-ux", "unrecognized option '-x' in '-ux' (see" },
        { "-u=1", "unrecognized option '-=' in '-u=1' (see" },
        { "--bi 1", "option '--bi' is ambiguous: it may be any of --bitrate, --bind, --bind-dev (see" },
        { "--b 1", "option '--b' is ambiguous: it may be any of --bitrate, --bandwidth, --bind, --bind-dev (see" },
        { "--udp=1", "option '--udp' takes no value, but '1' is given (see" },
        { "-b", "option '-b' needs a value (see" },
        { "-ub", "option '-b' needs a value (see" },
        { "--bitrate", "option '--bitrate' needs a value (see" },
        { "--ban", "option '--bandwidth' needs a value (see" },
    };

    [Theory, MemberData(nameof(Lines))]
    public void Parse_Line_IsReadAsByGetoptLong(string line, string expected)
    {
        GetoptLine read = Syntax.Parse(Split(line));

        string options = string.Join(' ', read.Choices.Select(static choice =>
            choice.Value is null ? choice.Spelling : $"{choice.Spelling}={choice.Value}"));
        string operands = string.Join(' ', read.Operands);
        Assert.Equal(expected, operands.Length == 0 ? options : $"{options} | {operands}");
    }

    [Theory, MemberData(nameof(Mistakes))]
    public void Parse_Mistake_IsOneLineThatNamesIt(string line, string expected)
    {
        CommandException fault = Assert.Throws<CommandException>(() => Syntax.Parse(Split(line)));

        Assert.StartsWith(expected, fault.Message, StringComparison.Ordinal);
        Assert.Equal(ExitCode.WrongUse, fault.ExitCode);
    }

    [Theory]
    [InlineData("0", 1000, 0)]
    [InlineData("10", 1000, 10)]
    [InlineData("10k", 1000, 10_000)]
    [InlineData("1.5M", 1000, 1_500_000)]
    [InlineData(".5G", 1000, 500_000_000)]
    [InlineData("2t", 1000, 2_000_000_000_000)]
    [InlineData("8K", 1024, 8192)]
    [InlineData("4m", 1024, 4_194_304)]
    [InlineData("1.5K", 1024, 1536)]
    public void ReadUnits_NumberWithLetter_IsMultiplied(string text, long thousand, long expected) =>
        Assert.Equal(expected, Choice(text).ReadUnits(thousand, 0, long.MaxValue));

    [Theory]
    [InlineData("")]
    [InlineData("k")]
    [InlineData("-1")]
    [InlineData("10x")]
    [InlineData("1e3")]
    [InlineData(" 1")]
    [InlineData("1,000")]
    [InlineData("NaN")]
    [InlineData("Infinity")]
    [InlineData("99999999999999999999T")]
    [InlineData("1001")]
    public void ReadUnits_NoSuchNumber_IsRefused(string text)
    {
        CommandException fault = Assert.Throws<CommandException>(() => Choice(text).ReadUnits(1000, 0, 1000));

        Assert.StartsWith($"-b '{text}': expected a number from 0 to 1000, with K", fault.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void ReadUnits_AboveTheLargestLong_DoesNotWrap() =>
        Assert.Equal(long.MaxValue, Choice("9223372036854775807").ReadUnits(1000, 0, long.MaxValue));

    [Theory]
    [InlineData("52", 52)]
    [InlineData("064", 52)]
    [InlineData("0x34", 52)]
    [InlineData("0", 0)]
    public void ReadAnyBase_Number_IsReadAsByStrtol(string text, int expected) =>
        Assert.Equal(expected, Choice(text).ReadAnyBase(255));

    [Theory]
    [InlineData("")]
    [InlineData("-1")]
    [InlineData("256")]
    [InlineData("09")]
    [InlineData("0x")]
    [InlineData("0xfffffffff")]
    [InlineData("x")]
    public void ReadAnyBase_NoSuchNumber_IsRefused(string text) =>
        Assert.Throws<CommandException>(() => Choice(text).ReadAnyBase(255));

    private static string[] Split(string line) => line.Split(' ', StringSplitOptions.RemoveEmptyEntries);

    private static GetoptChoice Choice(string text) => Syntax.Parse(["-b", text]).Choices[0];
}
