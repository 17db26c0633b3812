using System.CommandLine;
using System.CommandLine.Parsing;
using System.Net;
using Spate.Cli.Comparison;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Traffic;
using Spate.Cli.Tune.Applying;
using Spate.Cli.Tune.Trials;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Interrupts;
using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Tune;

/// <summary>Runs the trials of <c>spate tune --measure</c>: the host is as before when it ends.</summary>
internal sealed class TuneMeasurement(HostTuner tuner, Streams streams)
{
    private const string NeedsRoot = "not root";

    public (TuneTrial[] Trials, TuneLoad Load, CheckFinding[] Proven) Run(
        IReadOnlyList<CheckFinding> findings, MeasureOptions request, CancellationToken cancellationToken)
    {
        IPEndPoint? target = request.Target;
        TrialOptions trials = request.Trials;
        using var progress = new StepProgress<TrialStep>(streams.ErrorPage, streams.Time);
        try
        {
            using TrialEnds ends = target is not null ? TestEnds.With(UdpEndPoint.FromIPEndPoint(target))
                : request.InNamespaces ? new NamespaceEnds(CompareRuns.Own, cancellationToken)
                : TestEnds.OnLoopback();
            if (!request.NamesRate)
            {
                progress.Show("searching for a rate that this host can sustain");
                double rate = ends.FindRate(trials.Load, cancellationToken);
                trials = trials with { Load = trials.Load with { DatagramsPerSecond = rate } };
            }

            SettingCandidate[] settings = [.. findings
                .Where(static one => one.Changes.Count > 0)
                .GroupBy(static one => one.Id, StringComparer.Ordinal)
                .Select(group => new SettingCandidate(tuner, [.. group]))];
            TrialCandidate[] all = [.. settings, .. Placements(isPair: target is null)];
            ILookup<bool, TrialCandidate> found = all.ToLookup(one => ReasonNotToTry(one, target) is null);
            TrialCandidate[] tried = [.. found[true]];
            Announce(tried.Length, trials, ends);

            var run = new TrialRun(
                cpus => ends.Measure(trials.Load, cpus, cancellationToken), trials, progress, cancellationToken);
            Dictionary<TrialCandidate, TuneTrial> rows = tried.Zip(run.Execute(tried)).ToDictionary();
            foreach (TrialCandidate one in found[false])
            {
                rows[one] = TuneTrial.Without(one, ReasonNotToTry(one, target)!);
            }

            CheckFinding[] proven =
                [.. settings.Where(one => rows[one].Verdict is TuneTrial.Helps).SelectMany(static one => one.Findings)];
            return ([.. all.Select(one => rows[one])], LoadOf(trials, ends), proven);
        }
        catch (OperationCanceledException fault)
        {
            throw CommandException.Refused("interrupted: no change was kept", DocsAnchor.None, fault);
        }
    }

    private static string? ReasonNotToTry(TrialCandidate candidate, IPEndPoint? target)
    {
        if (candidate is not SettingCandidate setting) return null;

        return !Environment.IsPrivilegedProcess ? NeedsRoot
            : setting.IsOfInterface && target is null ? "only traffic to another host uses this interface: --to HOST"
            : null;
    }

    private static IEnumerable<PlacementCandidate> Placements(bool isPair)
    {
        if (!OperatingSystem.IsLinux()) return [];

        var cpus = CpuFacts.Read();
        IReadOnlyList<InterfaceInterrupts> cards = InterfaceInterrupts.ReadAll(
        [
            .. InterfaceFacts.ReadAll().Where(static one => one.IsUp && !one.IsLoopback).Select(static one => one.Name),
        ]);
        IReadOnlyList<CpuTrial> trials = isPair ? CpuTrials.OfPair(cpus, cards) : CpuTrials.OfThread(cpus, cards);
        return trials.Count > 1 ? trials.Select(trial => new PlacementCandidate(trial, isPair)) : [];
    }

    private void Announce(int count, TrialOptions trials, TrialEnds ends)
    {
        string seconds = Units.Number(trials.EstimateSeries(count + 1, ends.SetUpTime).TotalSeconds, "0");
        string more = Units.Number(trials.EstimateSeries(2, ends.SetUpTime).TotalSeconds, "0");
        string rate = double.IsPositiveInfinity(trials.Load.DatagramsPerSecond)
            ? "as many datagrams as possible"
            : $"{Units.PerSecond(trials.Load.DatagramsPerSecond)} datagrams/s";
        streams.Notice($"measuring {count} candidate{(count == 1 ? "" : "s")} {ends.Description}, {rate} of "
            + $"{trials.Load.SizeBytes} bytes, without forced buffers (--seed {trials.Seed}): about {seconds} s, and "
            + $"{more} s more for each that looks better");
    }

    private static TuneLoad LoadOf(TrialOptions trials, TrialEnds ends) => new(
        ends.Description,
        trials.Load.SizeBytes,
        double.IsPositiveInfinity(trials.Load.DatagramsPerSecond) ? null : trials.Load.DatagramsPerSecond,
        trials.Load.Duration.TotalSeconds,
        trials.Repeat,
        trials.Seed);
}

/// <summary>The options of <c>spate tune --measure</c>.</summary>
internal sealed class MeasureOptionSet
{
    private readonly Option<bool> _measure = OptionText.CreateFlag(
        "--measure",
        "Measure each change, and CPUs for the threads, in repeated trials, and undo it. With --apply: keep "
            + "changes that are proven to help.");

    private readonly Option<string?> _to = OptionText.Create(
        "--to", "HOST[:PORT]", "--measure: test with spate test -s there, in both directions. Default: the loopback.");

    private readonly Option<bool> _namespaces = OptionText.CreateFlag(
        "--namespaces", "--measure: measure between two temporary network namespaces. Needs root and ip(8).");

    private readonly Option<string?> _rate = OptionText.Create(
        "--rate", "N|max", "--measure: the load, as in spate test. Default: 90 % of the maximum; --to needs one.");

    private readonly Option<string?> _size = OptionText.Create(
        "--size", "N", $"--measure: payload bytes per datagram. Default: {TrafficSenderOptions.DefaultSizeBytes}.");

    private readonly Option<string?> _repeat = OptionText.Create(
        "--repeat", "N", $"--measure: measurements per side, {TrialOptions.MinRepeat} to {TrialOptions.MaxRepeat}. "
            + "Default: 7.");

    private readonly Option<string?> _trialSeconds = OptionText.Create(
        "--trial-seconds", "S", "--measure: seconds per measurement, 0.2 to 60. Default: 1.");

    private readonly Option<string?> _seed = OptionText.Create(
        "--seed", "N", "--measure: the seed of the random order. Default: a new one, which is printed.");

    private Option[] Details => [_to, _namespaces, _rate, _size, _repeat, _trialSeconds, _seed];

    public void AddTo(Command command)
    {
        command.Add(_measure);
        foreach (Option option in Details) command.Add(option);
    }

    public MeasureOptions? Read(ParseResult parsed)
    {
        if (parsed.GetValue(_measure))
        {
            bool namesRate = parsed.GetValue(_rate) is not null;
            return new MeasureOptions(
                ReadTarget(parsed), parsed.GetValue(_namespaces), ReadTrials(parsed), namesRate);
        }

        Option? alone = Array.Find(Details, one => parsed.GetResult(one) is OptionResult { Implicit: false });
        return alone is null
            ? null
            : throw CommandException.WrongUse($"{alone.Name} needs --measure");
    }

    private IPEndPoint? ReadTarget(ParseResult parsed)
    {
        if (parsed.GetValue(_to) is not { } text) return null;

        if (parsed.GetValue(_namespaces))
        {
            throw CommandException.WrongUse("--to and --namespaces exclude each other: use one of them");
        }

        return parsed.GetValue(_rate) is not null
            ? EndPointText.ParseTarget(text, family: null)
            : throw CommandException.WrongUse(
                "--to needs --rate, because others may use the network: give a rate such as --rate 100k");
    }

    private TrialOptions ReadTrials(ParseResult parsed)
    {
        int size = (int)(UnitText.ReadBytes(parsed, _size, TestDatagram.HeaderBytes, SendSize.MaxIpv4Bytes)
            ?? TrafficSenderOptions.DefaultSizeBytes);
        Rate? rate = SendLoad.ReadRate(_rate, parsed) is { } given ? SendLoad.Checked(given, size) : null;
        var load = new TrialLoad
        {
            SizeBytes = size,
            DatagramsPerSecond = rate?.ForSize(size) ?? double.PositiveInfinity,
        };
        TimeSpan? duration = SecondsText.Read(
            parsed,
            _trialSeconds,
            TrialLoad.MinDuration.TotalSeconds,
            maxSeconds: TrialLoad.MaxDuration.TotalSeconds);
        if (duration is { } length) load = load with { Duration = length };

        var options = new TrialOptions
        {
            Load = load,
            Seed = (int?)UnitText.ReadCount(parsed, _seed, 0, int.MaxValue) ?? Random.Shared.Next(),
        };
        return UnitText.ReadCount(parsed, _repeat, TrialOptions.MinRepeat, TrialOptions.MaxRepeat) is { } repeat
            ? options with { Repeat = (int)repeat }
            : options;
    }
}

/// <summary>What <c>spate tune --measure</c> is asked to measure.</summary>
/// <param name="Target">The server of <c>--to</c>; null for ends on this host.</param>
/// <param name="Trials">How to measure, with an infinite rate where none is named.</param>
/// <param name="NamesRate">Whether the rate was named; false means that it is looked for.</param>
internal sealed record MeasureOptions(IPEndPoint? Target, bool InNamespaces, TrialOptions Trials, bool NamesRate);
