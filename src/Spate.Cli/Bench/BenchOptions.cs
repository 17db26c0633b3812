using Spate.Cli.Bench.Throughput;
using Spate.Cli.Shell;
using Spate.HostTuning.Placement;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench;

/// <summary>What <see cref="BenchRun"/> measures and for how long. Other benches share its limits.</summary>
internal sealed class BenchOptions
{
    public static readonly TimeSpan DefaultBudget = TimeSpan.FromSeconds(60);

    public static readonly TimeSpan QuickBudget = TimeSpan.FromSeconds(15);

    public const int DefaultBufferBytes = 4 * 1024 * 1024;

    /// <summary>The smallest datagram size: the sender writes an 8-byte counter into every datagram.</summary>
    public const int MinSizeBytes = 8;

    /// <summary>The largest datagram size: 65535 less the IPv4 and UDP headers (RFC 768, RFC 791).</summary>
    public const int MaxSizeBytes = 65507;

    public const int MaxSizeCount = 16;

    private const int MaxRoundCount = 1001;

    /// <summary>At most <see cref="MaxSizeCount"/> sizes, each within the bounds above.</summary>
    public IReadOnlyList<int> SizesBytes { get; init => field = RecordList.Copy(value); } = RecordList.Copy([64, 1380]);

    /// <summary>For all rows and sizes, other programs included. It decides number and length of the rounds.</summary>
    public TimeSpan Budget { get; init; } = DefaultBudget;

    /// <summary>Some of <see cref="BenchRun.RowNames"/>; null runs all.</summary>
    public IReadOnlyList<string>? RowNames { get; init => field = RecordList.Copy(value); }

    /// <summary>Whether iperf3, nuttcp and sockperf run too, where they are installed. Off by default.</summary>
    public bool WithPeerPrograms { get; init; }

    /// <summary>Null takes that of a <see cref="LoopbackPlan"/>.</summary>
    public int? SenderCpu { get; init; }

    /// <summary>Null takes that of a <see cref="LoopbackPlan"/>.</summary>
    public int? ReceiverCpu { get; init; }

    /// <summary>The socket buffer that is requested at both ends of every row.</summary>
    public int BufferBytes { get; init; } = DefaultBufferBytes;

    internal void Validate()
    {
        if (SizesBytes.Count is 0 or > MaxSizeCount)
        {
            throw new BenchException($"A bench takes 1 to {MaxSizeCount} sizes, not {SizesBytes.Count}.");
        }
        foreach (int sizeBytes in SizesBytes)
        {
            if (sizeBytes is < MinSizeBytes or > MaxSizeBytes)
            {
                throw new BenchException(
                    $"A size of {sizeBytes} bytes cannot be benched; name one from {MinSizeBytes} to {MaxSizeBytes}.");
            }
        }
        if (SizesBytes.Distinct().Count() != SizesBytes.Count)
        {
            throw new BenchException("A size is named twice; name each size once.");
        }
        if (BufferBytes is < 4096 or > 1 << 30)
        {
            throw new BenchException($"A buffer of {BufferBytes} bytes cannot be asked for; name 4 KiB to 1 GiB.");
        }
    }

    internal static void RequireRounds(int roundCount)
    {
        if (roundCount is < 1 or > MaxRoundCount)
        {
            throw new BenchException($"{roundCount} rounds cannot be run; name 1 to {MaxRoundCount}.");
        }
    }

    internal static void RequireFilling(int datagramCount)
    {
        if (datagramCount is < 64 or > 1_000_000)
        {
            throw new BenchException($"A socket cannot be filled with {datagramCount}; name 64 to 1000000.");
        }
    }

    internal static void RequireRows(IReadOnlyList<string>? rowNames, IReadOnlyList<string> known)
    {
        string? unknown = rowNames?.FirstOrDefault(name => !known.Contains(name, StringComparer.Ordinal));
        if (unknown is null) return;
        throw new BenchException(
            $"There is no row {PrintableText.OneLine(unknown)}; name some of {string.Join(", ", known)}.");
    }
}
