using System.CommandLine;
using System.Globalization;
using Spate.Cli.Bench.Sweep;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.HostTuning.Placement;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Bench;

/// <summary>The settings of a bench. The command line has checked the values.</summary>
internal abstract class BenchOptions
{
    /// <summary>The socket buffer that is requested at both ends of a row.</summary>
    public const int DefaultBufferBytes = 4 * 1024 * 1024;

    /// <summary>The smallest datagram size: the sender writes an 8-byte counter into every datagram.</summary>
    public const int MinSizeBytes = 8;

    /// <summary>The largest datagram size: 65535 less the IPv4 and UDP headers (RFC 768, RFC 791).</summary>
    public const int MaxSizeBytes = 65507;

    public const int MaxSizeCount = 16;

    public IReadOnlyList<int> SizesBytes { get; set; } = [64, 1380];

    /// <summary>That of a bench that takes one.</summary>
    public int SizeBytes
    {
        get => SizesBytes[0];
        set => SizesBytes = [value];
    }

    /// <summary>No further round begins when it is used up.</summary>
    public TimeSpan Budget { get; set; }

    /// <summary>An odd number has a middle round. Fewer are run if the budget ends first.</summary>
    public int RoundCount { get; set; }

    /// <summary>Null takes that of a <see cref="LoopbackPlan"/>.</summary>
    public int? SenderCpu { get; set; }

    /// <summary>Also that of a bench with one thread. Null takes that of a <see cref="LoopbackPlan"/>.</summary>
    public int? ReceiverCpu { get; set; }
}

/// <summary>The options that benches share. An option has the same name and the same text in every bench.</summary>
/// <param name="defaults">The values without options.</param>
/// <param name="quickBudget">The time with <c>--quick</c>.</param>
/// <param name="minSeconds">The least that <c>--seconds</c> takes.</param>
internal sealed class BenchOptionSet(
    BenchOptions defaults,
    BenchCpuOption cpu,
    bool takesSizes,
    TimeSpan quickBudget,
    double minSeconds,
    ReportOptionSet report)
{
    private readonly Option<string?> _size = OptionText.Create(
        "--size",
        takesSizes ? "LIST" : "BYTES",
        $"Payload bytes per datagram{(takesSizes ? ", one or several" : "")}. Default: {SizesOf(defaults)}.");

    private readonly Option<string?> _seconds = OptionText.Create(
        "--seconds",
        "S",
        "Total time, in place of --quick; rounds are cut to fit. Default: "
            + $"{Seconds(defaults.Budget)}, at least {Seconds(TimeSpan.FromSeconds(minSeconds))}; with --quick "
            + $"{Seconds(quickBudget)}.");

    private readonly Option<bool> _quick = OptionText.CreateFlag(
        "--quick", "Run in a third of the time or less; results vary more.");

    private readonly Option<bool> _cores = OptionText.CreateFlag(
        "--cores", "Show all CPUs of this host for each row: user, system, softirq, irq, steal and idle time.");

    public BenchCpuOption Cpu => cpu;

    public static Option<string?> CreateRows() =>
        OptionText.Create("--rows", "LIST", "Rows to measure, by name. Default: all.");

    public void AddTo(Command command)
    {
        command.Add(_size);
        cpu.AddTo(command);
        command.Add(_seconds);
        command.Add(_quick);
        command.Add(_cores);
        report.AddTo(command);
    }

    /// <summary>The type of the report is the bench's own, or that of a sweep.</summary>
    public ReportOptions ReadReport(ParseResult parsed, bool isSweep = false) =>
        report.Read(parsed, isSweep ? static () => BenchJson.Default.SweepReport : null) with
        {
            ShowsAllCores = parsed.GetValue(_cores),
        };

    public bool IsQuick(ParseResult parsed) => parsed.GetValue(_quick);

    public IReadOnlyList<int> ReadSizes(ParseResult parsed) => takesSizes
        ? NumberList.ReadSizes(parsed, _size, SizesOf(defaults))
        : [(int)(UnitText.ReadBytes(parsed, _size, BenchOptions.MinSizeBytes, BenchOptions.MaxSizeBytes)
            ?? defaults.SizeBytes)];

    /// <summary>The one size of a sweep, in a bench that takes several otherwise.</summary>
    public int ReadSweepSize(ParseResult parsed)
    {
        if (parsed.GetValue(_size) is not { } text) return SweepOptions.DefaultSizeBytes;
        return ReadSizes(parsed) is [var one] ? one : throw OptionText.Wrong(_size, text, "one size with --sweep");
    }

    public TimeSpan ReadBudget(ParseResult parsed)
    {
        TimeSpan? named = SecondsText.Read(parsed, _seconds, minSeconds);
        if (IsQuick(parsed) && named is not null)
        {
            throw CommandException.WrongUse("--quick and --seconds exclude each other: use one of them");
        }

        return named ?? (IsQuick(parsed) ? quickBudget : defaults.Budget);
    }

    /// <summary>The named rows, after a check that each is known; null where none was named.</summary>
    public static string[]? ReadRows(ParseResult parsed, Option<string?> rows, IReadOnlyList<string> known)
    {
        string[]? names = parsed.GetValue(rows)?.Split(',');
        string? unknown = names?.FirstOrDefault(name => !known.Contains(name, StringComparer.Ordinal));
        return unknown is null ? names : throw OptionText.Wrong(rows, unknown, string.Join(", ", known));
    }

    // Called at each start of the tool, for which string.Join of numbers would have to be compiled first.
    private static string SizesOf(BenchOptions defaults)
    {
        string text = "";
        foreach (int size in defaults.SizesBytes)
        {
            text += (text.Length == 0 ? "" : ",") + size.ToString(CultureInfo.InvariantCulture);
        }

        return text;
    }

    private static string Seconds(TimeSpan time) =>
        string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.#}");
}

/// <summary>Options that take one or several different numbers, for example <c>1k,100k,1m</c>.</summary>
internal static class NumberList
{
    /// <summary>Null when the option was not given.</summary>
    public static int[]? ReadCounts(
        ParseResult parsed,
        Option<string?> option,
        int min,
        int max,
        string example,
        int maxCount)
    {
        if (parsed.GetValue(option) is not { } text) return null;

        string expected = $"whole numbers from {min} to {max} such as {example}";
        return Parse(option, text, UnitSuffix.CountThousand, min, max, expected, maxCount);
    }

    /// <summary>In bytes; those of the default text when the option was not given.</summary>
    public static int[] ReadSizes(ParseResult parsed, Option<string?> option, string defaultText)
    {
        string text = parsed.GetValue(option) ?? defaultText;
        const int Min = BenchOptions.MinSizeBytes;
        const int Max = BenchOptions.MaxSizeBytes;
        string expected = $"sizes from {Min} to {Max} bytes such as 64,1380";
        return Parse(option, text, UnitSuffix.SizeThousand, Min, Max, expected, BenchOptions.MaxSizeCount);
    }

    private static int[] Parse(
        Option<string?> option, string text, long thousand, int min, int max, string expected, int maxCount)
    {
        string[] parts = text.Split(',');
        int[] numbers = new int[parts.Length];
        for (int i = 0; i < parts.Length; i++)
        {
            bool isRight = UnitText.TryParse(parts[i], thousand, out long number) && number >= min && number <= max;
            numbers[i] = isRight ? (int)number : throw OptionText.Wrong(option, text, expected);
        }

        return numbers.Length <= maxCount && numbers.Distinct().Count() == numbers.Length
            ? numbers
            : throw OptionText.Wrong(option, text, $"at most {maxCount} values, each once");
    }
}
