namespace Spate.Cli.Watch;

/// <summary>A UDP socket that dropped something, or in which something waits.</summary>
/// <param name="Port">The port that it is bound to; 0 for none.</param>
/// <param name="Program">
/// The name of a program that has it open, as one line of printable ASCII; null where this user may not see it.
/// </param>
/// <param name="QueueBytes">What waits in its receive buffer now, in bytes of memory; null where unknown.</param>
/// <param name="BufferBytes">Its receive buffer in bytes of memory; null where unknown.</param>
/// <param name="Drops">What it dropped meanwhile.</param>
/// <param name="DropsPerSecond">The drops a second; 0 until the length of the time is known.</param>
internal sealed record WatchSocket(
    int Port, string? Program, long? QueueBytes, long? BufferBytes, long Drops, double DropsPerSecond);
