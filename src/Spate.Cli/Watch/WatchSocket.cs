namespace Spate.Cli.Watch;

/// <summary>A UDP socket that dropped something, or in which something waits.</summary>
/// <param name="Port">See <see cref="WatchedSocket.Port"/>.</param>
/// <param name="Program">See <see cref="WatchedSocket.Program"/>; null where this user may not see it.</param>
/// <param name="QueueBytes">See <see cref="WatchedSocket.QueueBytes"/>.</param>
/// <param name="BufferBytes">See <see cref="WatchedSocket.BufferBytes"/>.</param>
/// <param name="Drops">See <see cref="WatchedSocket.Drops"/>.</param>
/// <param name="DropsPerSecond">The drops a second.</param>
internal sealed record WatchSocket(
    int Port, string? Program, long? QueueBytes, long? BufferBytes, long Drops, double DropsPerSecond);
