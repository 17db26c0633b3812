using Spate.Cli.Shell;
using Spate.HostTuning.Placement;

namespace Spate.Cli.Bench.PingPong;

/// <summary>What <see cref="PingPongRun"/> measures and for how long.</summary>
internal sealed class PingPongOptions
{
    /// <summary>The largest number of pings in a round: each takes 8 bytes of memory.</summary>
    public const int MaxPingCount = 10_000_000;

    /// <summary>The limits are those of <see cref="BenchOptions"/>.</summary>
    public int SizeBytes { get; init; } = 64;

    /// <summary>Counted pings per row and round.</summary>
    public int PingCount { get; init; } = 10_000;

    /// <summary>A short one makes fewer rounds with fewer pings, and watches idle servers for a shorter time.</summary>
    public TimeSpan Budget { get; init; } = TimeSpan.FromSeconds(40);

    /// <summary>An odd number has a middle round.</summary>
    public int RoundCount { get; init; } = 7;

    /// <summary>For each idle server. Zero watches none.</summary>
    public TimeSpan IdleDuration { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Null takes that of a <see cref="LoopbackPlan"/>.</summary>
    public int? ClientCpu { get; init; }

    /// <summary>Null takes that of a <see cref="LoopbackPlan"/>.</summary>
    public int? ServerCpu { get; init; }

    // The runtime optimises code in the background after 100 ms without new methods (TC_CallCountingDelayMs).
    internal TimeSpan WarmUpTime { get; init; } = TimeSpan.FromMilliseconds(300);

    internal void Validate()
    {
        new BenchOptions { SizesBytes = [SizeBytes] }.Validate();
        if (PingCount is < 1 or > MaxPingCount)
        {
            throw new BenchException($"{PingCount} pings cannot be counted; name 1 to {MaxPingCount}.");
        }
        BenchOptions.RequireRounds(RoundCount);
        if (IdleDuration < TimeSpan.Zero || IdleDuration > TimeSpan.FromMinutes(10))
        {
            throw new BenchException("An idle server is watched for 0 to 600 s.");
        }
    }
}
