using Spate.Cli.Bench.Rounds;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;

namespace Spate.Cli.Bench;

/// <summary>Shows the progress of a bench between its rounds.</summary>
internal sealed class BenchProgress(Streams streams) : IProgress<BenchStep>, IDisposable
{
    private readonly ProgressLine _line = new(streams.ErrorPage, streams.Time);

    public void Report(BenchStep value)
    {
        string round = value.Round == 0 ? "warm-up" : $"round {value.Round} of {value.RoundCount}";
        int percent = value.StepCount == 0 ? 0 : 100 * value.StepIndex / value.StepCount;
        _line.Show($"bench {percent,3} %  {value.RowName}, {value.SizeBytes} bytes, {round}");
    }

    public void Dispose() => _line.Dispose();
}
