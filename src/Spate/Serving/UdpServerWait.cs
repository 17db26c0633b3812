namespace Spate.Serving;

/// <summary>How a thread of a <see cref="UdpServer"/> waits while nothing arrives.</summary>
public enum UdpServerWait
{
    /// <summary>
    /// <see cref="Adaptive"/> for <see cref="UdpServerDesign.Adaptive"/>, otherwise <see cref="Blocking"/>.
    /// </summary>
    Automatic,

    /// <summary>
    /// Sleeps in the kernel. An idle server costs nothing; a wake-up adds some 20 to 40 µs of latency.
    /// </summary>
    Blocking,

    /// <summary>
    /// Spins for a few microseconds if datagrams come quickly enough for that to pay, and sleeps otherwise. Leaves one
    /// CPU to other threads unless <see cref="UdpServerOptions.SpinOnLastCpu"/> is set.
    /// </summary>
    Adaptive,

    /// <summary>Never sleeps: the lowest latency, but each thread always takes 100 % of a CPU.</summary>
    Spinning,
}
