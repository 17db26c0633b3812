namespace Spate.Cli.Watch;

/// <summary>A counter of losses, errors or delays that grew.</summary>
/// <param name="Place">See <see cref="GrownCounter.Place"/>.</param>
/// <param name="Name">See <see cref="GrownCounter.Name"/>.</param>
/// <param name="Growth">See <see cref="GrownCounter.Growth"/>.</param>
/// <param name="PerSecond">The growth a second.</param>
/// <param name="Meaning">See <see cref="GrownCounter.Meaning"/>.</param>
internal sealed record WatchCounter(string Place, string Name, long Growth, double PerSecond, string? Meaning);
