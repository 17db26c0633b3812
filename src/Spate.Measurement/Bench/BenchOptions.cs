namespace Spate.Measurement.Bench;

/// <summary>What <see cref="BenchRun"/> measures and for how long.</summary>
public sealed class BenchOptions
{
    /// <summary>The time a whole run may take unless another budget is named.</summary>
    public static readonly TimeSpan DefaultBudget = TimeSpan.FromSeconds(60);

    /// <summary>The time a quick run may take.</summary>
    public static readonly TimeSpan QuickBudget = TimeSpan.FromSeconds(15);

    /// <summary>The socket buffer asked for unless another is named, in bytes.</summary>
    public const int DefaultBufferBytes = 4 * 1024 * 1024;

    /// <summary>The least datagram size: the sender writes an 8-byte counter into every datagram.</summary>
    public const int MinSizeBytes = 8;

    /// <summary>The largest datagram size: 65535 less the IPv4 and UDP headers (RFC 768, RFC 791).</summary>
    public const int MaxSizeBytes = 65507;

    /// <summary>The most sizes in one run.</summary>
    public const int MaxSizeCount = 16;

    /// <summary>
    /// Datagram sizes in bytes, 64 and 1380 by default. Each from <see cref="MinSizeBytes"/> to
    /// <see cref="MaxSizeBytes"/>, at most <see cref="MaxSizeCount"/> of them.
    /// </summary>
    public IReadOnlyList<int> SizesBytes { get; init; } = [64, 1380];

    /// <summary>
    /// The time for everything, all rows, sizes and other programs included; 60 s by default. Round length and round
    /// count are computed from it.
    /// </summary>
    public TimeSpan Budget { get; init; } = DefaultBudget;

    /// <summary>Rows to run, by name; null (the default) runs all. Names are those of <see cref="BenchRun"/>.</summary>
    public IReadOnlyList<string>? RowNames { get; init; }

    /// <summary>Also run iperf3, nuttcp and sockperf where they are installed. Off by default.</summary>
    public bool WithPeerPrograms { get; init; }

    /// <summary>CPU index of the sender's thread; null (the default) takes the first allowed one.</summary>
    public int? SenderCpu { get; init; }

    /// <summary>CPU index of the receiver's thread; null (the default) takes the second allowed one.</summary>
    public int? ReceiverCpu { get; init; }

    /// <summary>Socket buffer asked for at both ends of every row, in bytes; 4 MiB by default.</summary>
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
}
