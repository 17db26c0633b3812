namespace Spate.Measurement.Bench.Sockets;

/// <summary>
/// The engine behind <c>spate bench sockets</c>: queues datagrams in many sockets, then times how long one thread takes
/// to receive them all, per datagram. Blocks the calling thread until done.
/// </summary>
public static class SocketsRun
{
    /// <summary>Runs the sockets bench within the budget of <paramref name="options"/>.</summary>
    /// <param name="options">Numbers, rounds, time.</param>
    /// <param name="progress">Told about every step before it starts; null when nobody watches.</param>
    /// <param name="cancellationToken">Ends the run between two steps, each of which takes milliseconds.</param>
    /// <exception cref="BenchException">Options that cannot be met, or no row could run at all.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public static SocketsReport Execute(
        SocketsOptions options, IProgress<BenchStep>? progress = null, CancellationToken cancellationToken = default)
    {
        options.Validate();
        BenchLoopback.Require();
        int? cpu = CpuPlacement.Choose(senderCpu: null, options.Cpu).ReceiverCpu;
        return BenchThread.Execute(
            "sockets",
            cpu,
            options.Budget + TimeSpan.FromSeconds(60),
            () => new SocketsEngine(options, cpu, cancellationToken).Execute(progress));
    }
}
