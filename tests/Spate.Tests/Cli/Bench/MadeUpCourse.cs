using Spate.Cli.Bench.Rounds;
using Spate.HostTuning.Reading.Usage;
using Spate.Measurement.HostUse;

namespace Spate.Tests.Cli.Bench;

/// <summary>The course of a benchmark whose time and whose rounds a test makes up.</summary>
internal sealed class MadeUpCourse : IProgress<BenchStep>, IDisposable
{
    private readonly CancellationTokenSource _interrupt =
        CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);

    public JumpingTime Time { get; } = new();

    /// <summary>The steps that were reported.</summary>
    public List<BenchStep> Steps { get; } = [];

    /// <summary>The rows in the order in which they ran.</summary>
    public string Order => string.Join(' ', Steps.Select(static step => step.RowName));

    /// <summary>Called with each step.</summary>
    public Action<BenchStep>? OnStep { get; set; }

    /// <summary>The use of CPU 1 in each round, which has taken a second.</summary>
    public int BusyPercent { get; set; }

    /// <summary>Begins a course of a number of seconds.</summary>
    public BenchCourse Begin(double seconds) => Begin(TimeSpan.FromSeconds(seconds));

    /// <summary>Begins a course.</summary>
    public BenchCourse Begin(TimeSpan total) => new(total, this, _interrupt.Token, Time)
    {
        OpenWatch = () => new Watch(BusyPercent),
    };

    /// <summary>Lets time pass.</summary>
    public void Take(double seconds) => Time.Advance(TimeSpan.FromSeconds(seconds));

    public void Interrupt() => _interrupt.Cancel();

    public void Report(BenchStep value)
    {
        Steps.Add(value);
        OnStep?.Invoke(value);
    }

    public void Dispose() => _interrupt.Dispose();

    /// <summary>A watch without a look at the host.</summary>
    private sealed class Watch(int busyPercent) : IRoundWatch
    {
        private const long Second = 1_000_000_000;

        public void Begin()
        {
            // The made-up rounds take no time of the host.
        }

        public (CpuTotals Cores, ThreadUse Use) End()
        {
            var sum = new CpuTotals { Seconds = 1 };
            long busy = Second * busyPercent / 100;
            sum.Add(1, new CpuUse(new CpuTimes(0, busy, 0, 0, 0, Second - busy), 0));
            return (sum, default);
        }

        public void Dispose()
        {
            // Nothing is open.
        }
    }
}
