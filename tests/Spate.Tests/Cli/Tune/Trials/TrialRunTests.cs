using Spate.Cli.Tune;
using Spate.Cli.Tune.Trials;

namespace Spate.Tests.Cli.Tune.Trials;

/// <summary>Which candidates are named, with measurements whose truth is known.</summary>
public sealed class TrialRunTests
{
    private const int Seeds = 200;
    private const int MaxNamedByChance = Seeds / 20;

    private readonly FakeCandidate _first = new("first");
    private readonly FakeCandidate _second = new("second");

    [Theory]
    [InlineData(5)]
    [InlineData(7)]
    public void Execute_CandidatesWithoutEffect_AreNamedByChanceInFewRuns(int repeat)
    {
        int named = 0;
        for (int seed = 0; seed < Seeds; seed++)
        {
            var noise = new Random(seed);
            TuneTrial[] trials = Run(_ => Sample(noise, lossPercent: 2), repeat, seed);
            if (trials.Any(static one => one.Verdict is TuneTrial.Helps)) named++;
        }

        Assert.True(named <= MaxNamedByChance, $"{named} of {Seeds} runs named one, seeds from 0");
    }

    [Fact]
    public void Execute_CandidateThatEndsTheLoss_IsNamedAndTheOtherIsNot()
    {
        for (int seed = 0; seed < Seeds; seed++)
        {
            var noise = new Random(seed);
            TuneTrial[] trials = Run(_ => Sample(noise, _second.IsApplied ? 0 : 2), seed: seed);

            Assert.True(trials[1].Verdict is TuneTrial.Helps, $"seed {seed}: {trials[1]}");
            Assert.Equal("missingPercent", trials[1].Figure);
            Assert.True(trials[0].Verdict is not TuneTrial.Helps, $"seed {seed}: {trials[0]}");
        }
    }

    [Fact]
    public void Execute_CandidateThatLosesMore_IsWorse()
    {
        var noise = new Random(1);

        TuneTrial[] trials = Run(_ => Sample(noise, _first.IsApplied ? 20 : 0));

        Assert.Equal(TuneTrial.Worse, trials[0].Verdict);
    }

    [Fact]
    public void Execute_LessIsMissingButLessArrives_IsWorse()
    {
        var noise = new Random(1);

        TuneTrial[] trials = Run(_ => _first.IsApplied
            ? Sample(noise, 0) with { DatagramsPerSecond = 50_000 + noise.Next(1000) }
            : Sample(noise, 2));

        Assert.Equal(TuneTrial.Worse, trials[0].Verdict);
        Assert.Equal("datagramsPerSecond is worse", trials[0].Note);
    }

    [Fact]
    public void Execute_Unpaced_JudgesTheRate()
    {
        var noise = new Random(1);

        TuneTrial[] trials = Run(
            _ => Sample(noise, 2) with { DatagramsPerSecond = (_first.IsApplied ? 2e6 : 1e6) + noise.Next(1000) },
            datagramsPerSecond: double.PositiveInfinity);

        Assert.Equal(("datagramsPerSecond", TuneTrial.Helps), (trials[0].Figure, trials[0].Verdict));
        Assert.InRange(trials[0].DifferencePercent!.Value, 99, 101);
    }

    [Fact]
    public void Execute_BetterInTheFirstSeriesOnly_IsNotNamed()
    {
        var noise = new Random(1);
        int applied = 0;

        TuneTrial[] trials = Run(_ => Sample(noise, _first.IsApplied && applied++ < 7 ? 0 : 2));

        Assert.Equal(TuneTrial.Unproven, trials[0].Verdict);
        Assert.StartsWith("better at first", trials[0].Note, StringComparison.Ordinal);
    }

    [Fact]
    public void Execute_RefusedCandidate_IsNeverMeasured()
    {
        var noise = new Random(1);
        _first.Refusal = "the system made it 5";

        TuneTrial[] trials = Run(_ =>
        {
            Assert.False(_first.IsApplied);
            return Sample(noise, 2);
        });

        Assert.Equal((TuneTrial.Refused, "the system made it 5"), (trials[0].Verdict, trials[0].Note));
        Assert.Equal(1, _first.TimesTakenBack);
    }

    [Fact]
    public void Execute_NothingIsLost_SaysWhichDifferenceWouldHaveBeenShown()
    {
        var noise = new Random(1);

        TuneTrial trial = Run(_ => Sample(noise, 0))[0];

        Assert.Equal((TuneTrial.Unproven, 100.0), (trial.Verdict, trial.ChancePercent));
        Assert.InRange(trial.DetectableRatePercent!.Value, 0.01, 5);
    }

    [Fact]
    public void Execute_SameSeed_HasTheSameOrder()
    {
        string[] Order()
        {
            var order = new List<string>();
            var noise = new Random(1);
            var progress = new Steps(step => order.Add(step.What));
            Run(_ => Sample(noise, 0), seed: 5, progress: progress);
            return [.. order];
        }

        string[] first = Order();

        Assert.Equal(first, Order());
        Assert.Equal(3 * 7, first.Length);
        Assert.All(first.Chunk(3), static round => Assert.Equal(3, round.Distinct(StringComparer.Ordinal).Count()));
    }

    [Fact]
    public void Execute_CandidateThatSettles_HasItsTimeBeforeItIsMeasuredAndAfterItIsTakenBack()
    {
        var card = new FakeCandidate("card") { Settling = TimeSpan.FromSeconds(3) };
        List<string> log = [];
        var time = new JumpingTime
        {
            OnWait = length =>
            {
                log.Add($"{length.TotalSeconds} s {(card.IsApplied ? "with" : "without")}");
                return length;
            },
        };
        var noise = new Random(1);
        var run = new TrialRun(Measure, Options(), progress: null, TestContext.Current.CancellationToken)
        {
            Time = time,
        };

        run.Execute([card]);

        string[] withCard = [.. string.Join(", ", log.Where(static one => one is not "measured without"))
            .Split("3 s without").Select(static one => one.Trim(',', ' '))];
        Assert.Equal(8, withCard.Length);
        Assert.All(withCard[..7], static one => Assert.Equal("3 s with, measured with", one));
        Assert.Empty(withCard[7]);

        TrialSample Measure(IReadOnlyList<int> cpus)
        {
            log.Add(card.IsApplied ? "measured with" : "measured without");
            return Sample(noise, 0);
        }
    }

    // Losses of bursts vary by a factor, rates by some percent.
    private static TrialSample Sample(Random noise, double lossPercent) => new(
        lossPercent * Math.Exp(noise.NextDouble() - 0.5),
        100_000 * (1 + (0.02 * (noise.NextDouble() - 0.5))),
        CpuNanoseconds: 1000);

    private TuneTrial[] Run(
        Func<IReadOnlyList<int>, TrialSample> measure,
        int repeat = 7,
        int seed = 1,
        double datagramsPerSecond = 100_000,
        IProgress<TrialStep>? progress = null)
    {
        TrialOptions options = Options(repeat, seed, datagramsPerSecond);
        return new TrialRun(measure, options, progress, TestContext.Current.CancellationToken)
            .Execute([_first, _second]);
    }

    private static TrialOptions Options(int repeat = 7, int seed = 1, double datagramsPerSecond = 100_000) => new()
    {
        Load = new TrialLoad { SizeBytes = 1380, DatagramsPerSecond = datagramsPerSecond },
        Repeat = repeat,
        Seed = seed,
    };

    private sealed class Steps(Action<TrialStep> take) : IProgress<TrialStep>
    {
        public void Report(TrialStep value) => take(value);
    }

    private sealed class FakeCandidate(string name) : TrialCandidate(name, name, "1", "2", command: null)
    {
        public override TimeSpan SettleTime => Settling;

        public TimeSpan Settling { get; init; }

        public bool IsApplied { get; private set; }

        public int TimesTakenBack { get; private set; }

        public string? Refusal { get; set; }

        public override string? Apply()
        {
            IsApplied = Refusal is null;
            return Refusal;
        }

        public override void TakeBack()
        {
            IsApplied = false;
            TimesTakenBack++;
        }
    }
}
