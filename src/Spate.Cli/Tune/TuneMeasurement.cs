using System.Net;
using Spate.Cli.Comparison;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Tune.Applying;
using Spate.Cli.Tune.Trials;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Interrupts;

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
        using var progress = new TrialProgress(streams);
        try
        {
            using TrialEnds ends = target is not null ? TestEnds.With(UdpEndPoint.FromIPEndPoint(target))
                : request.InNamespaces ? new NamespaceEnds(CompareRuns.Own, cancellationToken)
                : TestEnds.OnLoopback();
            if (!request.NamesRate)
            {
                progress.Show("looking for a rate that this host can keep");
                double rate = ends.FindRate(trials.Load, cancellationToken);
                trials = trials with { Load = trials.Load with { DatagramsPerSecond = rate } };
            }

            SettingCandidate[] settings = [.. findings
                .Where(static one => PlannedSetting.Of([one]).Count > 0)
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
            throw CommandException.Refused("interrupted: the host is as it was before", DocsAnchor.None, fault);
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

    private sealed class TrialProgress(Streams streams) : IProgress<TrialStep>, IDisposable
    {
        private readonly ProgressLine _line = new(streams.ErrorPage, streams.Time);

        public void Report(TrialStep value) => _line.Show(value.ToString());

        public void Show(string text) => _line.Show(text);

        public void Dispose() => _line.Dispose();
    }
}
