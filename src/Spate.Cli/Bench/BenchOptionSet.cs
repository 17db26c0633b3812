using System.CommandLine;
using System.Globalization;
using Spate.Cli.Options;
using Spate.HostTuning.Cpus;
using Spate.Measurement.Bench;

namespace Spate.Cli.Bench;

/// <summary>How long a bench takes; no time below <see cref="MinSeconds"/> may be named.</summary>
internal sealed record BenchTimes(TimeSpan Whole, TimeSpan Quick, double MinSeconds = 5);

/// <summary>
/// The options that benches have in common: one name and one text for the same thing, whichever bench has it.
/// </summary>
internal sealed class BenchOptionSet
{
    private readonly string _defaultSizes;
    private readonly BenchTimes _times;
    private readonly Option<string?> _size;
    private readonly Option<string?> _cpu;
    private readonly Option<string?> _seconds;

    private readonly Option<bool> _quick = OptionText.CreateFlag(
        "--quick", "In a third of the time or less, with more spread.");

    /// <param name="cpuDescription">Whose CPUs can be named, and what is chosen otherwise.</param>
    /// <param name="defaultSizes">The default of <c>--size</c>.</param>
    /// <param name="takesSizes">Whether it takes several sizes.</param>
    /// <param name="times">How long the bench takes.</param>
    public BenchOptionSet(string cpuDescription, string defaultSizes, bool takesSizes, BenchTimes times)
    {
        _defaultSizes = defaultSizes;
        _times = times;
        _cpu = OptionText.Create("--cpu", "LIST", cpuDescription);
        string several = takesSizes ? ", one or several" : "";
        _size = OptionText.Create(
            "--size",
            takesSizes ? "LIST" : "BYTES",
            $"Payload bytes per datagram{several}. Default: {defaultSizes}.");
        _seconds = OptionText.Create(
            "--seconds",
            "S",
            $"Time for everything; rounds are cut to it. Default: {Seconds(times.Whole)}; with --quick "
            + $"{Seconds(times.Quick)}.");
    }

    public Option<string?> Json { get; } = OptionText.CreateJson();

    /// <summary>Names of rows to measure.</summary>
    public static Option<string?> CreateRows() =>
        OptionText.Create("--rows", "LIST", "Only these rows, by name. Default: all.");

    public void AddTo(Command command)
    {
        command.Add(_size);
        command.Add(_cpu);
        command.Add(_seconds);
        command.Add(_quick);
        command.Add(Json);
    }

    public bool IsQuick(ParseResult parsed) => parsed.GetValue(_quick);

    /// <summary>The sizes, where several may be named.</summary>
    public int[] ReadSizes(ParseResult parsed)
    {
        string text = parsed.GetValue(_size) ?? _defaultSizes;
        string[] parts = text.Split(',');
        int[] sizes = new int[parts.Length];
        for (int i = 0; i < parts.Length; i++)
        {
            bool isSize = SizeText.TryParse(parts[i], out long bytes)
                && bytes is >= BenchOptions.MinSizeBytes and <= BenchOptions.MaxSizeBytes;
            sizes[i] = isSize ? (int)bytes : throw OptionText.Wrong(
                _size,
                text,
                $"sizes from {BenchOptions.MinSizeBytes} to {BenchOptions.MaxSizeBytes} bytes such as 64,1380");
        }

        return NumberList.RequireDistinct(_size, text, sizes, BenchOptions.MaxSizeCount);
    }

    /// <summary>The size, where one may be named.</summary>
    public int ReadSize(ParseResult parsed) => (int)(SizeText.Read(
        parsed, _size, BenchOptions.MinSizeBytes, BenchOptions.MaxSizeBytes)
        ?? int.Parse(_defaultSizes, CultureInfo.InvariantCulture));

    /// <summary>The time for everything.</summary>
    public TimeSpan ReadBudget(ParseResult parsed)
    {
        TimeSpan? named = SecondsText.Read(parsed, _seconds, _times.MinSeconds);
        if (IsQuick(parsed) && named is not null)
        {
            throw CommandException.WrongUse("--quick and --seconds contradict each other: give one of them");
        }

        return named ?? (IsQuick(parsed) ? _times.Quick : _times.Whole);
    }

    /// <summary>The CPUs named, each of which is there; empty where none was named.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="count">How many there must be; null for any number.</param>
    public IReadOnlyList<int> ReadCpus(ParseResult parsed, int? count)
    {
        if (parsed.GetValue(_cpu) is not { } text) return [];

        CpuChoice choice = CpuChoice.Parse(text, CpuFacts.Read());
        return choice.IsAutomatic || count is null || choice.Numbers.Count == count
            ? choice.Numbers
            : throw OptionText.Wrong(
                _cpu, text, count == 1 ? "one CPU" : $"{count} CPUs");
    }

    /// <summary>The CPU of a bench that runs on one thread; null for the bench's choice.</summary>
    public int? ReadCpu(ParseResult parsed) => ReadCpus(parsed, count: 1) is [var cpu] ? cpu : null;

    /// <summary>The CPUs of a bench's two ends; null for the bench's choice.</summary>
    public (int? First, int? Second) ReadCpuPair(ParseResult parsed) =>
        ReadCpus(parsed, count: 2) is [var first, var second] ? (first, second) : (null, null);

    /// <summary>Names of a list, each of which is among those that are known; null where none is given.</summary>
    public static string[]? ReadRows(ParseResult parsed, Option<string?> rows, IReadOnlyList<string> known)
    {
        string[]? names = parsed.GetValue(rows)?.Split(',');
        string? unknown = names?.FirstOrDefault(name => !known.Contains(name, StringComparer.Ordinal));
        return unknown is null ? names : throw OptionText.Wrong(rows, unknown, string.Join(", ", known));
    }

    private static string Seconds(TimeSpan time) =>
        string.Create(CultureInfo.InvariantCulture, $"{time.TotalSeconds:0.#}");
}
