namespace Spate.Cli.Tune.Trials;

/// <summary>The traffic of a trial.</summary>
internal sealed record TrialLoad
{
    /// <summary>
    /// The buffer that both ends ask for: what the smallest profile needs. Nothing is forced, so they get what the host
    /// allows every user.
    /// </summary>
    public const int BufferBytes = 16 * 1024 * 1024;

    public static readonly TimeSpan MinDuration = TimeSpan.FromMilliseconds(200);

    public static readonly TimeSpan MaxDuration = TimeSpan.FromSeconds(60);

    public required int SizeBytes { get; init; }

    /// <summary>Datagrams a second; infinite for as many as possible.</summary>
    public double DatagramsPerSecond { get; init; } = double.PositiveInfinity;

    public TimeSpan Duration { get; init; } = TimeSpan.FromSeconds(1);
}
