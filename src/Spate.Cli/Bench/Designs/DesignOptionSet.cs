using System.CommandLine;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Bench.Designs;

/// <summary>The options of <c>bench designs</c>.</summary>
internal sealed class DesignOptionSet
{
    private const int QuickRounds = 3;

    private readonly BenchOptionSet _common = new(
        "CPU of the generator, then of the server's threads, such as 0,1, or auto, which says why. Default: the "
            + "generator's of auto, then any.",
        "1024",
        takesSizes: false,
        new BenchTimes(new DesignOptions().Budget, DesignOptions.QuickBudget),
        new ReportOptionSet(static () => BenchJson.Default.DesignsReport));

    private readonly Option<string?> _rows = BenchOptionSet.CreateRows();

    private readonly Option<string?> _work = OptionText.Create(
        "--work", "LIST", "Rounds of a small computation per datagram, one or several numbers. Default: 0,500.");

    private readonly Option<string?> _count = OptionText.Create(
        "--count", "N", "Datagrams for every row, shared out over the rounds. Default: 5m; with --quick 600k.");

    private readonly Option<string?> _threads = OptionText.Create(
        "--threads", "LIST", "Threads of the server, one or several numbers. Default: 8.");

    private readonly Option<string?> _flows = OptionText.Create(
        "--flows", "N", "Source ports of the generator. Default: as many as threads.");

    public ReportOptions ReadReport(ParseResult parsed) => _common.ReadReport(parsed);

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[_rows, _work, _count, _threads, _flows])
        {
            command.Add(option);
        }

        _common.AddTo(command);
    }

    public DesignOptions Read(ParseResult parsed, Streams streams)
    {
        var defaults = new DesignOptions();
        bool isQuick = _common.IsQuick(parsed);
        int roundCount = isQuick ? QuickRounds : defaults.RoundCount;
        IReadOnlyList<int> threadCounts = NumberList.ReadCounts(
            parsed, _threads, 1, DesignOptions.MaxThreadCount, "1,8", BenchOptions.MaxSizeCount)
            ?? defaults.ThreadCounts;
        IReadOnlyList<int> cpus = _common.Cpu.ReadServer(parsed, threadCounts.Max(), streams);
        return new DesignOptions
        {
            RowNames = BenchOptionSet.ReadRows(parsed, _rows, DesignRun.RowNames),
            WorkRounds = NumberList.ReadCounts(
                parsed, _work, 0, WorkLoad.MaxRounds, "0,500", BenchOptions.MaxSizeCount) ?? defaults.WorkRounds,
            Count = UnitText.ReadCount(parsed, _count, roundCount, DesignOptions.MaxCount)
                ?? (isQuick ? DesignOptions.QuickCount : defaults.Count),
            RoundCount = roundCount,
            SizeBytes = _common.ReadSize(parsed),
            ThreadCounts = threadCounts,
            FlowCount = (int?)UnitText.ReadCount(parsed, _flows, 1, DesignOptions.MaxFlowCount),
            GeneratorCpu = cpus.Count == 0 ? null : cpus[0],
            ServerCpus = [.. cpus.Skip(1)],
            Budget = _common.ReadBudget(parsed),
        };
    }
}
