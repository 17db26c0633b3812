namespace Spate.Cli.Watch;

/// <summary>A counter of losses, errors or delays that grew.</summary>
/// <param name="Place">
/// Where it counts: <c>UDP</c>, <c>IP</c>, <c>conntrack</c>, <c>CPU 3</c>, or the escaped name of an interface.
/// </param>
/// <param name="Name">The kernel's or the driver's name for it.</param>
/// <param name="Growth">By how much it grew, in its own unit; at least 1.</param>
/// <param name="PerSecond">The growth a second; 0 until the length of the time is known.</param>
/// <param name="Meaning">What it counts, for a counter that no check explains; null for the others.</param>
internal sealed record WatchCounter(string Place, string Name, long Growth, double PerSecond, string? Meaning);
