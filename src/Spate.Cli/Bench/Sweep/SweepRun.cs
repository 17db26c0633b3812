using Spate.Cli.Bench.Batched;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Shell;
using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Interrupts;

namespace Spate.Cli.Bench.Sweep;

/// <summary>
/// Runs <c>--sweep cpu</c>: one row on several placements, see <see cref="CpuTrials"/>. Blocks the calling thread until
/// done. Nothing else should run in the process meanwhile.
/// </summary>
internal static class SweepRun
{
    private static readonly string[] DefaultRows = [SpateRow.MmsgOffloads.Name, SpateRow.Portable.Name];

    /// <summary>Cancelling ends the run between two measurements, each of which takes a second at most.</summary>
    public static SweepReport OfThroughput(
        SweepOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        options.Validate();
        BenchTarget target = Find(
            BenchTargets.All, options.RowName, static one => one.Name, static one => one.UnavailableReason);
        if (target.ReceivesElsewhere)
        {
            throw new BenchException(
                $"The receiver of {target.Name} runs on pool threads, which have no CPU of their own; "
                + "name a row that receives on one thread.");
        }

        IReadOnlyList<CpuTrial> trials = FindTrials(CpuTrials.OfPair);
        using var subject = new ThroughputSubject(target, options.SizeBytes);
        return new SweepEngine(subject, new BenchCourse(options.Budget, progress, cancellationToken)).Execute(trials);
    }

    public static SweepReport OfDrain(
        SweepOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        options.Validate();
        DrainTarget target = Find(
            DrainTargets.All, options.RowName, static one => one.Name, static one => one.UnavailableReason);
        IReadOnlyList<CpuTrial> trials = FindTrials(CpuTrials.OfThread);
        return BenchThread.Execute(
            "sweep",
            trials[0].Cpus[0],
            options.Budget + TimeSpan.FromSeconds(30),
            () =>
            {
                var course = new BenchCourse(options.Budget, progress, cancellationToken);
                using var subject = new DrainSubject(target, options.SizeBytes, course.Time);
                return new SweepEngine(subject, course).Execute(trials);
            });
    }

    private static T Find<T>(
        IReadOnlyList<T> all, string? named, Func<T, string> nameOf, Func<T, string?> unavailableReason)
        where T : class
    {
        if (named is not null) BenchOptions.RequireRows([named], [.. all.Select(nameOf)]);

        string[] wanted = named is null ? DefaultRows : [named];
        T[] found = [.. wanted.Select(name => all.First(one => nameOf(one).Equals(name, StringComparison.Ordinal)))];
        return Array.Find(found, one => unavailableReason(one) is null)
            ?? throw new BenchException($"{nameOf(found[^1])} cannot run: {unavailableReason(found[^1])}");
    }

    private static IReadOnlyList<CpuTrial> FindTrials(
        Func<CpuFacts, IReadOnlyList<InterfaceInterrupts>, IReadOnlyList<CpuTrial>> find)
    {
        BenchLoopback.Require();
        if (!OperatingSystem.IsLinux())
        {
            throw new BenchException("Placements cannot be tried: thread affinity is available on Linux only.");
        }

        string[] cards =
        [
            .. InterfaceFacts.ReadAll().Where(static one => one.IsUp && !one.IsLoopback).Select(static one => one.Name),
        ];
        IReadOnlyList<CpuTrial> trials = find(CpuFacts.Read(), InterfaceInterrupts.ReadAll(cards));
        return trials.Count > 1
            ? trials
            : throw new BenchException(
                "There is nothing to choose from: this process may use one CPU only; allow it another one.");
    }
}
