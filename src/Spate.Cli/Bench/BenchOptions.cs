using Spate.HostTuning.Placement;

namespace Spate.Cli.Bench;

/// <summary>The settings of a bench. The command line has checked the values.</summary>
internal abstract class BenchOptions
{
    /// <summary>The socket buffer that is requested at both ends of a row.</summary>
    public const int DefaultBufferBytes = 4 * 1024 * 1024;

    /// <summary>The smallest datagram size: the sender writes an 8-byte counter into every datagram.</summary>
    public const int MinSizeBytes = 8;

    /// <summary>The largest datagram size: 65535 less the IPv4 and UDP headers (RFC 768, RFC 791).</summary>
    public const int MaxSizeBytes = 65507;

    public const int MaxSizeCount = 16;

    public IReadOnlyList<int> SizesBytes { get; set; } = [64, 1380];

    /// <summary>That of a bench that takes one.</summary>
    public int SizeBytes
    {
        get => SizesBytes[0];
        set => SizesBytes = [value];
    }

    /// <summary>No further round begins when it is used up.</summary>
    public TimeSpan Budget { get; set; }

    /// <summary>An odd number has a middle round. Fewer are run if the budget ends first.</summary>
    public int RoundCount { get; set; }

    /// <summary>Null takes that of a <see cref="LoopbackPlan"/>.</summary>
    public int? SenderCpu { get; set; }

    /// <summary>Also that of a bench with one thread. Null takes that of a <see cref="LoopbackPlan"/>.</summary>
    public int? ReceiverCpu { get; set; }
}
