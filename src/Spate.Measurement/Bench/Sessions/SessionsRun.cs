namespace Spate.Measurement.Bench.Sessions;

/// <summary>
/// The engine behind <c>spate bench sessions</c>: fills a socket's queue, then times how long one thread takes to drain
/// it and to find a session for each datagram. Loopback has one peer per socket, so the peers are taken from a prepared
/// sequence instead. Blocks the calling thread until done.
/// </summary>
public static class SessionsRun
{
    /// <summary>Runs the bench within the budget of <paramref name="options"/>, filling and ageing included.</summary>
    /// <param name="options">Peers, sizes, rounds, time.</param>
    /// <param name="progress">Told about every step before it starts; null when nobody watches.</param>
    /// <param name="cancellationToken">Ends the run between two steps, each of which takes milliseconds.</param>
    /// <exception cref="BenchException">Options that cannot be met, or datagrams that were lost.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static SessionsReport Execute(
        SessionsOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        options.Validate();
        BenchLoopback.Require();
        int? cpu = CpuPlacement.Choose(senderCpu: null, options.Cpu).ReceiverCpu;
        return BenchThread.Execute(
            "sessions",
            cpu,
            options.Budget + TimeSpan.FromSeconds(120),
            () => new SessionsEngine(options, cpu, cancellationToken).Execute(progress));
    }
}
