namespace Spate;

/// <summary>
/// A way to reach the operating system. <see cref="UdpCapabilities"/> shows which backends work here, with the reasons.
/// </summary>
public enum UdpBackend
{
    /// <summary>
    /// The best available backend, found by a probe: <see cref="Mmsg"/> on Linux, otherwise <see cref="Portable"/>. The
    /// environment variable <c>SPATE_BACKEND</c> (<c>portable</c>, <c>mmsg</c>, <c>uring</c>) overrides this choice,
    /// but not an explicit backend. With another value, every open that leaves the choice to the variable throws.
    /// </summary>
    Automatic,

    /// <summary>
    /// System.Net.Sockets, one call per datagram, on every operating system. The reference for all other backends.
    /// </summary>
    Portable,

    /// <summary>
    /// Linux: recvmmsg(2) and sendmmsg(2), with UDP_SEGMENT (4.18) and UDP_GRO (5.0, used from 5.12) if they work.
    /// </summary>
    Mmsg,

    /// <summary>
    /// Linux 6.0: receives through an io_uring (multishot recvmsg). The kernel fills buffers as datagrams arrive, and
    /// these buffers change places with the batch's. Sends as <see cref="Mmsg"/>. Never chosen by
    /// <see cref="Automatic"/>: if datagrams are coalesced, draining a queue costs about 40 % more per datagram than
    /// with <see cref="Mmsg"/>. If datagrams come one by one, it costs about 8 % less, but only with
    /// <see cref="UdpSocketOptions.OneReceivingThread"/> (both: <c>spate bench drain</c>, 64 bytes, Linux 6.18).
    /// </summary>
    Uring,
}
