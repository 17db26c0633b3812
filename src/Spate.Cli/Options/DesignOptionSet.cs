using System.CommandLine;
using Spate.HostTuning;
using Spate.Measurement;
using Spate.Measurement.Bench;
using Spate.Measurement.Bench.Designs;

namespace Spate.Cli.Options;

/// <summary>The options of <c>bench designs</c>.</summary>
internal sealed class DesignOptionSet
{
    private const double ShortestSeconds = 5;
    private const int QuickRounds = 3;

    private readonly Option<string?> _designs = OptionText.Create(
        "--designs", "LIST", "Only these rows, by name. Default: all.");

    private readonly Option<string?> _work = OptionText.Create(
        "--work", "LIST", "Rounds of a small computation per datagram, one or several: 0,500 (the default).");

    private readonly Option<string?> _count = OptionText.Create(
        "--count", "N", "Datagrams for every row, shared out over the rounds. Default: 5m; with --quick 600k.");

    private readonly Option<string?> _size = OptionText.Create(
        "--size", "BYTES", "Payload bytes per datagram. Default: 1024.");

    private readonly Option<string?> _threads = OptionText.Create(
        "--threads", "LIST", "Threads of the server, one or several numbers. Default: 8.");

    private readonly Option<string?> _flows = OptionText.Create(
        "--flows", "N", "Source ports of the generator. Default: as many as threads.");

    private readonly Option<string?> _cpu = OptionText.Create(
        "--cpu", "G,S,...", "CPU of the generator, then those of the server's threads. Default: the first; any.");

    private readonly Option<string?> _seconds = OptionText.Create(
        "--seconds", "S", "Time for everything; rounds are cut to it. Default: 170.");

    private readonly Option<bool> _quick = OptionText.CreateFlag("--quick", "A quarter of the time, with more spread.");

    public Option<string?> Json { get; } = OptionText.CreateJson();

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])
            [_designs, _work, _count, _size, _threads, _flows, _cpu, _seconds, _quick, Json])
        {
            command.Add(option);
        }
    }

    public DesignOptions Read(ParseResult parsed)
    {
        var defaults = new DesignOptions();
        bool isQuick = parsed.GetValue(_quick);
        TimeSpan? seconds = OptionText.ReadSeconds(parsed, _seconds, ShortestSeconds);
        if (isQuick && seconds is not null)
        {
            throw CommandException.WrongUse("--quick and --seconds contradict each other: give one of them");
        }

        int roundCount = isQuick ? QuickRounds : defaults.RoundCount;
        IReadOnlyList<int> cpus = ReadCpus(parsed);
        return new DesignOptions
        {
            RowNames = ReadNames(parsed),
            WorkRounds = ReadNumbers(parsed, _work, 0, WorkLoad.MaxRounds) ?? defaults.WorkRounds,
            Count = ReadCount(parsed, roundCount) ?? (isQuick ? DesignOptions.QuickCount : defaults.Count),
            RoundCount = roundCount,
            SizeBytes = (int)(OptionText.ReadSize(
                parsed, _size, BenchOptions.MinSizeBytes, BenchOptions.MaxSizeBytes) ?? defaults.SizeBytes),
            ThreadCounts = ReadNumbers(parsed, _threads, 1, DesignOptions.MaxThreadCount) ?? defaults.ThreadCounts,
            FlowCount = (int?)OptionText.ReadNumber(parsed, _flows, 1, DesignOptions.MaxFlowCount),
            GeneratorCpu = cpus.Count == 0 ? null : cpus[0],
            ServerCpus = [.. cpus.Skip(1)],
            Budget = seconds ?? (isQuick ? DesignOptions.QuickBudget : defaults.Budget),
        };
    }

    private string[]? ReadNames(ParseResult parsed)
    {
        string[]? names = parsed.GetValue(_designs)?.Split(',');
        string? unknown = names?.FirstOrDefault(
            static name => !DesignRun.RowNames.Contains(name, StringComparer.Ordinal));
        return unknown is null
            ? names
            : throw OptionText.Wrong(_designs, unknown, string.Join(", ", DesignRun.RowNames));
    }

    private long? ReadCount(ParseResult parsed, int least)
    {
        if (parsed.GetValue(_count) is not { } text)
        {
            return null;
        }

        return CountText.TryParse(text, out long count) && count >= least && count <= DesignOptions.MaxCount
            ? count
            : throw OptionText.Wrong(_count, text, $"a number from {least} to {DesignOptions.MaxCount} such as 5m");
    }

    private static int[]? ReadNumbers(ParseResult parsed, Option<string?> option, int least, int most)
    {
        if (parsed.GetValue(option) is not { } text)
        {
            return null;
        }

        string[] parts = text.Split(',');
        int[] numbers = new int[parts.Length];
        for (int i = 0; i < parts.Length; i++)
        {
            bool isRight = CountText.TryParse(parts[i], out long number) && number >= least && number <= most;
            numbers[i] = isRight
                ? (int)number
                : throw OptionText.Wrong(option, text, $"whole numbers from {least} to {most}, such as 1,8");
        }

        return numbers.Length <= BenchOptions.MaxSizeCount && numbers.Distinct().Count() == numbers.Length
            ? numbers
            : throw OptionText.Wrong(option, text, $"each number once, at most {BenchOptions.MaxSizeCount} of them");
    }

    private IReadOnlyList<int> ReadCpus(ParseResult parsed)
    {
        if (parsed.GetValue(_cpu) is not { } text)
        {
            return [];
        }

        CpuChoice choice = CpuChoice.Parse(text, CpuFacts.Read());
        return choice.Numbers;
    }
}
