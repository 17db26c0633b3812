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
internal sealed class BenchCpuOption(string description, Streams streams)
{
    private readonly Option<string?> _option = OptionText.Create("--cpu", "LIST|auto", description);

    public void AddTo(Command command) => command.Add(_option);

    /// <summary>The CPU of a bench that runs on one thread; null where the option is not given.</summary>
    public int? ReadOne(ParseResult parsed)
    {
        if (Read(parsed, takesTwice: false) is not { } choice) return null;

        if (!choice.IsAutomatic) return Require(parsed, choice.Numbers, 1)[0];

        CpuPlan plan = LoopbackPlan.Make(CpuFacts.Read()).Receivers;
        TrafficSetup.Explain(plan, streams);
        return plan.Threads.Count == 0 ? null : plan.Threads[0].Number;
    }

    /// <summary>The CPUs of a bench's two ends; null where the option is not given.</summary>
    public (int? Sender, int? Receiver) ReadPair(ParseResult parsed)
    {
        if (Read(parsed, takesTwice: true) is not { } choice) return (null, null);

        IReadOnlyList<int> cpus = choice.IsAutomatic
            ? Plan(receiverCount: 1)
            : Review(Require(parsed, choice.Numbers, 2));
        return cpus.Count == 2 ? (cpus[0], cpus[1]) : (null, null);
    }

    /// <summary>The CPU of the generator, then those of the server's threads; empty without the option.</summary>
    public IReadOnlyList<int> ReadServer(ParseResult parsed, int threadCount) =>
        Read(parsed, takesTwice: false) is not { } choice ? []
            : choice.IsAutomatic ? Plan(threadCount)
            : Review(choice.Numbers);

    private CpuChoice? Read(ParseResult parsed, bool takesTwice) =>
        parsed.GetValue(_option) is { } text ? CpuChoice.ParseHere(text, takesTwice) : null;

    private IReadOnlyList<int> Require(ParseResult parsed, IReadOnlyList<int> numbers, int count) =>
        numbers.Count == count ? numbers : throw OptionText.Wrong(
            _option, parsed.GetValue(_option)!, count == 1 ? "one CPU, or auto" : $"{count} CPUs, or auto");

    private IReadOnlyList<int> Plan(int receiverCount)
    {
        var plan = LoopbackPlan.Make(CpuFacts.Read(), receiverCount);
        TrafficSetup.Explain(plan.Receivers, streams);
        TrafficSetup.Explain(plan.Sender, streams);
        return [.. plan.Sender.Threads.Concat(plan.Receivers.Threads).Select(static thread => thread.Number)];
    }

    private IReadOnlyList<int> Review(IReadOnlyList<int> numbers)
    {
        foreach (string warning in LoopbackPlan.Review(CpuFacts.Read(), numbers[0], [.. numbers.Skip(1)]))
        {
            streams.Warn(CpuText.Warning(warning), DocsAnchor.Cpus);
        }

        return numbers;
    }
}

/// <summary>Which CPU each end of a bench runs on; null when the system decides.</summary>
internal sealed record CpuPlacement(int? SenderCpu, int? ReceiverCpu, string Note)
{
    private const string NoAffinity = "thread affinity is available on Linux only";

    /// <summary>The named CPUs, which must exist and be allowed, or those of a <see cref="LoopbackPlan"/>.</summary>
    public static CpuPlacement Choose(int? senderCpu, int? receiverCpu)
    {
        CpuFacts cpus = CpuFacts.Read();
        IReadOnlyList<int> usable = OperatingSystem.IsLinux() ? cpus.UsableNumbers : [];
        foreach (int? named in (int?[])[senderCpu, receiverCpu])
        {
            if (named is int cpu && !usable.Contains(cpu))
            {
                throw new BenchException(usable.Count == 0
                    ? $"CPU {cpu} cannot be chosen: {NoAffinity}; leave the choice to the system"
                    : $"CPU {cpu} does not exist or is not allowed; usable: {CpuList.Format(usable)}");
            }
        }

        if (usable.Count < 2)
        {
            return new CpuPlacement(senderCpu, receiverCpu, usable.Count == 1
                ? "only one CPU is usable: sender and receiver share it"
                : "threads are not pinned: " + NoAffinity);
        }

        var plan = LoopbackPlan.Make(cpus, senderCpu: senderCpu, receiverCpu: receiverCpu);
        return Of(plan.Sender.Threads[0].Number, plan.Receivers.Threads[0].Number);
    }

    /// <summary>The placement on two CPUs that are known to be usable.</summary>
    public static CpuPlacement Of(int sender, int receiver) => new(sender, receiver, sender == receiver
        ? $"sender and receiver share CPU {sender}, as requested"
        : $"sender on CPU {sender}, receiver on CPU {receiver}");
}
