using System.CommandLine;
using System.Globalization;
using System.Text.Json.Serialization.Metadata;
using Spate.Cli.Bench.Sweep;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Bench;

/// <summary>The time of a bench by default, with <c>--quick</c>, and the least that <c>--seconds</c> takes.</summary>
internal sealed record BenchTimes(TimeSpan Whole, TimeSpan Quick, double MinSeconds = 5);

/// <summary>The options that benches share. An option has the same name and the same text in every bench.</summary>
internal sealed class BenchOptionSet
{
    private readonly string _defaultSizes;
    private readonly BenchTimes _times;
    private readonly Option<string?> _size;
    private readonly Option<string?> _seconds;

    private readonly Option<bool> _quick = OptionText.CreateFlag(
        "--quick", "In a third of the time or less, with more spread.");

    private readonly Option<bool> _cores = OptionText.CreateFlag(
        "--cores", "Show all CPUs of this host for each row: user, system, softirq, irq, steal and idle time.");

    public BenchOptionSet(
        string cpuDescription, string defaultSizes, bool takesSizes, BenchTimes times, ReportOptionSet report)
    {
        Report = report;
        _defaultSizes = defaultSizes;
        _times = times;
        Cpu = new BenchCpuOption(cpuDescription);
        string several = takesSizes ? ", one or several" : "";
        _size = OptionText.Create(
            "--size",
            takesSizes ? "LIST" : "BYTES",
            $"Payload bytes per datagram{several}. Default: {defaultSizes}.");
        _seconds = OptionText.Create(
            "--seconds",
            "S",
            "Time for everything, instead of --quick; rounds are cut to it. Default: "
            + $"{Seconds(times.Whole)}, at least {Seconds(TimeSpan.FromSeconds(times.MinSeconds))}; with --quick "
            + $"{Seconds(times.Quick)}.");
    }

    public BenchCpuOption Cpu { get; }

    public ReportOptionSet Report { get; }

    public static Option<string?> CreateRows() =>
        OptionText.Create("--rows", "LIST", "Only these rows, by name. Default: all.");

    public void AddTo(Command command)
    {
        command.Add(_size);
        Cpu.AddTo(command);
        command.Add(_seconds);
        command.Add(_quick);
        command.Add(_cores);
        Report.AddTo(command);
    }

    /// <summary>A null <paramref name="reportType"/> is the type of the bench's report.</summary>
    public ReportOptions ReadReport(ParseResult parsed, Func<JsonTypeInfo>? reportType = null) =>
        Report.Read(parsed, reportType) with { ShowsAllCores = parsed.GetValue(_cores) };

    public bool IsQuick(ParseResult parsed) => parsed.GetValue(_quick);

    public int[] ReadSizes(ParseResult parsed) => NumberList.ReadSizes(
        parsed,
        _size,
        BenchOptions.MinSizeBytes,
        BenchOptions.MaxSizeBytes,
        _defaultSizes,
        BenchOptions.MaxSizeCount);

    /// <summary>The one size of a sweep, in a bench that takes several otherwise.</summary>
    public int ReadSweepSize(ParseResult parsed)
    {
        if (parsed.GetValue(_size) is not { } text) return SweepOptions.DefaultSizeBytes;

        return ReadSizes(parsed) is [var one] ? one : throw OptionText.Wrong(_size, text, "one size with --sweep");
    }

    public int ReadSize(ParseResult parsed) => (int)(UnitText.ReadBytes(
        parsed, _size, BenchOptions.MinSizeBytes, BenchOptions.MaxSizeBytes)
        ?? int.Parse(_defaultSizes, CultureInfo.InvariantCulture));

    public TimeSpan ReadBudget(ParseResult parsed)
    {
        TimeSpan? named = SecondsText.Read(parsed, _seconds, _times.MinSeconds);
        if (IsQuick(parsed) && named is not null)
        {
            throw CommandException.WrongUse("--quick and --seconds contradict each other: give one of them");
        }

        return named ?? (IsQuick(parsed) ? _times.Quick : _times.Whole);
    }

    /// <summary>The named rows, after a check that each is known; null where none was named.</summary>
    public static string[]? ReadRows(ParseResult parsed, Option<string?> rows, IReadOnlyList<string> known)
    {
        string[]? names = parsed.GetValue(rows)?.Split(',');
        string? unknown = names?.FirstOrDefault(name => !known.Contains(name, StringComparer.Ordinal));
        return unknown is null ? names : throw OptionText.Wrong(rows, unknown, string.Join(", ", known));
    }

    private static string Seconds(TimeSpan time) =>
        string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.#}");
}
