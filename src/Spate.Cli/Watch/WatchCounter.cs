namespace Spate.Cli.Watch;

/// <summary>A counter of losses, errors or delays that grew.</summary>
/// <param name="Place">See <see cref="CounterIncrease.Place"/>.</param>
/// <param name="Name">See <see cref="CounterIncrease.Name"/>.</param>
/// <param name="Growth">See <see cref="CounterIncrease.Growth"/>.</param>
/// <param name="PerSecond">The growth a second.</param>
/// <param name="Meaning">See <see cref="CounterIncrease.Meaning"/>.</param>
internal sealed record WatchCounter(string Place, string Name, long Growth, double PerSecond, string? Meaning);
