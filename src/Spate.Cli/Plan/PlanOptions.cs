namespace Spate.Cli.Plan;

/// <summary>The load that a plan is made for.</summary>
internal sealed record PlanOptions
{
    /// <summary>The largest number of datagrams a day: more than all machines of the world receive.</summary>
    public const long MaxPerDay = 1_000_000_000_000_000_000;

    public const double DefaultMaxLoadPercent = 50;

    public const double DefaultPeakTimes = 2;

    public const int DefaultSizeBytes = 200;

    /// <summary>The smallest size that is planned for, in bytes: the smallest that benches measure.</summary>
    public const int MinSizeBytes = 8;

    /// <summary>The largest size: 65535 less the IPv4 and UDP headers (RFC 768, RFC 791).</summary>
    public const int MaxSizeBytes = 65507;

    public static readonly TimeSpan DefaultStall = TimeSpan.FromMilliseconds(200);

    public required long PerDay { get; init; }

    /// <summary>Datagrams in the busiest second; null (the default) for twice the average.</summary>
    public double? PeakPerSecond { get; init; }

    public int SizeBytes { get; init; } = DefaultSizeBytes;

    /// <summary>The longest pause of the reader in which nothing may be lost.</summary>
    public TimeSpan Stall { get; init; } = DefaultStall;

    /// <summary>The largest receive buffer of this host in bytes (<c>net.core.rmem_max</c>); null if unknown.</summary>
    public long? ReceiveMaximumBytes { get; init; }

    /// <summary>What a machine costs a month, in any currency; null (the default) for no costs in the plan.</summary>
    public double? CostPerMonth { get; init; }

    /// <summary>How much of what a machine was measured to receive it may get at the peak, in percent.</summary>
    public double MaxLoadPercent { get; init; } = DefaultMaxLoadPercent;
}
