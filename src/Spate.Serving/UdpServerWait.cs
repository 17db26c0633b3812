namespace Spate.Serving;

/// <summary>What a thread of a <see cref="UdpServer"/> does while nothing arrives.</summary>
public enum UdpServerWait
{
    /// <summary>
    /// <see cref="Adaptive"/> for <see cref="UdpServerDesign.Adaptive"/>, otherwise <see cref="Blocking"/>.
    /// </summary>
    Automatic,

    /// <summary>
    /// Sleeps in the kernel: an idle server costs nothing; a wake-up costs some 20 to 40 µs of latency.
    /// </summary>
    Blocking,

    /// <summary>
    /// Spins for a few microseconds where datagrams come quickly enough for that to pay, otherwise sleeps. Never spins
    /// on the last CPU of the machine unless <see cref="UdpServerOptions.SpinOnLastCpu"/> says so.
    /// </summary>
    Adaptive,

    /// <summary>Never sleeps: the least latency, and one CPU per thread at 100 %, whatever arrives.</summary>
    Spinning,
}
