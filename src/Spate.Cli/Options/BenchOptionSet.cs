using System.CommandLine;
using System.Globalization;
using Spate.HostTuning;
using Spate.Measurement.Bench;

namespace Spate.Cli.Options;

/// <summary>The options of <c>bench</c> and <c>bench drain</c> that read alike.</summary>
internal sealed class BenchOptionSet
{
    private const double ShortestSeconds = 5;

    private readonly string _defaultSizes;

    private readonly Option<string?> _sizes;

    private readonly Option<string?> _seconds = OptionText.Create(
        "--seconds", "S", "Time for everything; rounds are cut to it.");

    private readonly Option<bool> _quick = OptionText.CreateFlag(
        "--quick", "A quarter of the time, with more spread.");

    private readonly Option<string?> _cpu;

    public BenchOptionSet(string cpuHelpName, string cpuDescription, string defaultSizes = "64,1380")
    {
        _cpu = OptionText.Create("--cpu", cpuHelpName, cpuDescription);
        _defaultSizes = defaultSizes;
        _sizes = OptionText.Create(
            "--size", "LIST", $"Payload bytes per datagram, one or several: {defaultSizes} (the default).");
    }

    public Option<string?> Json { get; } = OptionText.CreateJson();

    public void AddTo(Command command)
    {
        command.Add(_sizes);
        command.Add(_seconds);
        command.Add(_quick);
        command.Add(_cpu);
        command.Add(Json);
    }

    public int[] ReadSizes(ParseResult parsed)
    {
        string text = parsed.GetValue(_sizes) ?? _defaultSizes;
        string[] parts = text.Split(',');
        int[] sizes = new int[parts.Length];
        for (int i = 0; i < parts.Length; i++)
        {
            bool isSize = SizeText.TryParse(parts[i], out long bytes)
                && bytes is >= BenchOptions.MinSizeBytes and <= BenchOptions.MaxSizeBytes;
            sizes[i] = isSize ? (int)bytes : throw OptionText.Wrong(
                _sizes,
                text,
                $"sizes from {BenchOptions.MinSizeBytes} to {BenchOptions.MaxSizeBytes} bytes such as 64,1380");
        }

        if (sizes.Length > BenchOptions.MaxSizeCount || sizes.Distinct().Count() != sizes.Length)
        {
            throw OptionText.Wrong(_sizes, text, $"each size once, at most {BenchOptions.MaxSizeCount} of them");
        }

        return sizes;
    }

    /// <summary>The time for everything.</summary>
    public TimeSpan ReadBudget(ParseResult parsed, TimeSpan whole, TimeSpan quick)
    {
        bool isQuick = parsed.GetValue(_quick);
        TimeSpan? named = OptionText.ReadSeconds(parsed, _seconds, ShortestSeconds);
        if (isQuick && named is not null)
        {
            throw CommandException.WrongUse("--quick and --seconds contradict each other: give one of them");
        }

        return named ?? (isQuick ? quick : whole);
    }

    /// <summary>The CPUs named, each of which is there; empty where none was named.</summary>
    public IReadOnlyList<int> ReadCpus(ParseResult parsed, int count)
    {
        if (parsed.GetValue(_cpu) is not { } text)
        {
            return [];
        }

        CpuChoice choice = CpuChoice.Parse(text, CpuFacts.Read());
        return choice.IsAutomatic || choice.Numbers.Count == count
            ? choice.Numbers
            : throw OptionText.Wrong(
                _cpu, text, count == 1 ? "one CPU" : string.Create(CultureInfo.InvariantCulture, $"{count} CPUs"));
    }
}
