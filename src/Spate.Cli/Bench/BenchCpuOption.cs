using System.CommandLine;
using Spate.Cli.Host;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Cli.Traffic;
using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;

namespace Spate.Cli.Bench;

/// <summary>The option <c>--cpu</c>. <c>auto</c> takes the same plan as no option, but notices explain it.</summary>
internal sealed class BenchCpuOption
{
    private readonly Option<string?> _option;

    public BenchCpuOption(string description) => _option = OptionText.Create("--cpu", "LIST|auto", description);

    public void AddTo(Command command) => command.Add(_option);

    /// <summary>The CPU of a bench that runs on one thread; null where the option is not given.</summary>
    public int? ReadOne(ParseResult parsed, Streams streams)
    {
        if (Read(parsed, takesTwice: false) is not { } choice) return null;

        if (!choice.IsAutomatic) return Require(parsed, choice.Numbers, 1)[0];

        CpuPlan plan = LoopbackPlan.Make(CpuFacts.Read()).Receivers;
        TrafficSetup.Explain(plan, streams);
        return plan.Threads.Count == 0 ? null : plan.Threads[0].Number;
    }

    /// <summary>The CPUs of a bench's two ends; null where the option is not given.</summary>
    public (int? Sender, int? Receiver) ReadPair(ParseResult parsed, Streams streams)
    {
        if (Read(parsed, takesTwice: true) is not { } choice) return (null, null);

        IReadOnlyList<int> cpus = choice.IsAutomatic
            ? Plan(receiverCount: 1, streams)
            : Review(Require(parsed, choice.Numbers, 2), streams);
        return cpus.Count == 2 ? (cpus[0], cpus[1]) : (null, null);
    }

    /// <summary>The CPU of the generator, then those of the server's threads; empty without the option.</summary>
    public IReadOnlyList<int> ReadServer(ParseResult parsed, int threadCount, Streams streams) =>
        Read(parsed, takesTwice: false) is not { } choice ? []
            : choice.IsAutomatic ? Plan(threadCount, streams)
            : Review(choice.Numbers, streams);

    private CpuChoice? Read(ParseResult parsed, bool takesTwice) =>
        parsed.GetValue(_option) is { } text ? CpuChoice.ParseHere(text, takesTwice) : null;

    private IReadOnlyList<int> Require(ParseResult parsed, IReadOnlyList<int> numbers, int count) =>
        numbers.Count == count ? numbers : throw OptionText.Wrong(
            _option, parsed.GetValue(_option)!, count == 1 ? "one CPU, or auto" : $"{count} CPUs, or auto");

    private static IReadOnlyList<int> Plan(int receiverCount, Streams streams)
    {
        var plan = LoopbackPlan.Make(CpuFacts.Read(), receiverCount);
        TrafficSetup.Explain(plan.Receivers, streams);
        TrafficSetup.Explain(plan.Sender, streams);
        return [.. plan.Sender.Threads.Concat(plan.Receivers.Threads).Select(static thread => thread.Number)];
    }

    private static IReadOnlyList<int> Review(IReadOnlyList<int> numbers, Streams streams)
    {
        foreach (string warning in LoopbackPlan.Review(CpuFacts.Read(), numbers[0], [.. numbers.Skip(1)]))
        {
            streams.Warn(CpuText.Warning(warning), DocsAnchor.Cpus);
        }

        return numbers;
    }
}
