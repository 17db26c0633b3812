namespace Spate;

/// <summary>
/// A way to reach the operating system. <see cref="UdpCapabilities"/> tells which ones work here and why.
/// </summary>
public enum UdpBackend
{
    /// <summary>
    /// The best one that was probed to work: <see cref="Mmsg"/> on Linux, otherwise <see cref="Portable"/>.
    /// The environment variable <c>SPATE_BACKEND</c> (<c>portable</c>, <c>mmsg</c>, <c>uring</c>) overrides this
    /// choice, not an explicit one; with another value every open that leaves the choice to it throws.
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
    /// Linux 6.0: receives through an io_uring, into buffers that the kernel fills as datagrams come and that change
    /// places with the batch's (multishot recvmsg); sends as <see cref="Mmsg"/>. Never chosen by
    /// <see cref="Automatic"/>: where datagrams are coalesced, a drained queue costs about 40 % more per datagram than
    /// with <see cref="Mmsg"/>, and where they come one by one, about 8 % less (<c>spate bench drain</c>, 64 bytes,
    /// Linux 6.18), which needs <see cref="UdpSocketOptions.OneReceivingThread"/>.
    /// </summary>
    Uring,
}
