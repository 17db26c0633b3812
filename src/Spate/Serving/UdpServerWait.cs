namespace Spate.Serving;

/// <summary>
/// How a thread of a <see cref="UdpServer"/> waits while no datagrams arrive. Some threads always sleep while they
/// wait: the handler threads of a design with a receiving thread (<see cref="UdpServerDesign.HasReceivingThread"/>),
/// and the threads that <see cref="UdpServerDesign.Adaptive"/> does not need at the moment.
/// </summary>
public enum UdpServerWait
{
    /// <summary>
    /// The same as <see cref="Adaptive"/> for the design <see cref="UdpServerDesign.Adaptive"/>, and as
    /// <see cref="Blocking"/> for all other designs.
    /// </summary>
    Automatic,

    /// <summary>
    /// Sleeps in the kernel. An idle server costs nothing; each wake-up adds about 20 to 40 µs of latency.
    /// </summary>
    Blocking,

    /// <summary>
    /// Spins for at most 50 µs if datagrams come quickly enough to make spinning worthwhile, and sleeps otherwise. One
    /// CPU is left to other threads, unless <see cref="UdpServerOptions.SpinOnLastCpu"/> is set.
    /// </summary>
    Adaptive,

    /// <summary>
    /// Spins until datagrams arrive. This gives the lowest latency, but each waiting thread takes 100 % of a CPU.
    /// </summary>
    Spinning,
}
