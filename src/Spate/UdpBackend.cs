namespace Spate;

/// <summary>
/// A way to reach the operating system. <see cref="UdpCapabilities"/> tells which ones work here and why.
/// </summary>
public enum UdpBackend
{
    /// <summary>
    /// The best one that was probed to work: <see cref="Mmsg"/> on Linux, otherwise <see cref="Portable"/>. The
    /// environment variable <c>SPATE_BACKEND</c> (<c>portable</c>, <c>mmsg</c>, <c>uring</c>) overrides this choice,
    /// not an explicit one.
    /// </summary>
    Automatic,

    /// <summary>
    /// System.Net.Sockets, one call per datagram, on every operating system. The reference for all others.
    /// </summary>
    Portable,

    /// <summary>
    /// Linux: recvmmsg(2) and sendmmsg(2), with UDP_SEGMENT (4.18) and UDP_GRO (5.0, used from 5.12) where they work.
    /// </summary>
    Mmsg,

    /// <summary>
    /// Linux 6.0: receives through an io_uring, with buffers that the kernel fills as datagrams come and that batches
    /// borrow (multishot recvmsg); sends as <see cref="Mmsg"/>. Never chosen by <see cref="Automatic"/>: a drained
    /// queue costs more per datagram than with <see cref="Mmsg"/> where datagrams are coalesced, and about as much
    /// where not. A receive then costs fewer system calls, so try it where many datagrams come one by one.
    /// </summary>
    Uring,
}
