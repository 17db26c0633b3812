using System.Diagnostics.CodeAnalysis;

namespace Spate;

/// <summary>
/// The interface to the operating system that a socket uses. <see cref="UdpCapabilities"/> shows which backends work on
/// this machine, with the reasons.
/// </summary>
public enum UdpBackend
{
    /// <summary>
    /// The best available backend, found by a probe: <see cref="Mmsg"/> on Linux, otherwise <see cref="Portable"/>. The
    /// environment variable <c>SPATE_BACKEND</c> (<c>portable</c>, <c>mmsg</c>, <c>uring</c>, <c>winsock</c>,
    /// <c>rio</c>) overrides this choice, but not an explicit backend. If <c>mmsg</c> or <c>winsock</c> is named and
    /// unavailable, every open without an explicit backend throws. <c>uring</c> and <c>rio</c> fall back. If the
    /// variable has an invalid value, every open without an explicit backend throws.
    /// </summary>
    Automatic,

    /// <summary>
    /// System.Net.Sockets, one call per datagram, on every operating system. Its behaviour is the reference for all
    /// other backends.
    /// </summary>
    Portable,

    /// <summary>
    /// Linux: recvmmsg(2) and sendmmsg(2), with UDP_SEGMENT (4.18) and UDP_GRO (5.0, used from 5.12) if they work.
    /// </summary>
    Mmsg,

    /// <summary>
    /// Linux 6.0: receives through an io_uring (multishot recvmsg). The kernel fills buffers as datagrams arrive. A
    /// receive exchanges the filled buffers for buffers of the batch, so nothing is copied. Sends in the same way as
    /// <see cref="Mmsg"/>. <see cref="Automatic"/> never chooses this backend, except in a server with the design
    /// <c>Ring</c>. If datagrams are coalesced, receiving all queued datagrams of a socket costs about 40 % more per
    /// datagram than with <see cref="Mmsg"/>. If datagrams come one by one, this costs about 8 % less, but only with
    /// <see cref="UdpSocketOptions.SingleReader"/> (both measured with <c>spate bench drain</c>, 64 bytes, Linux
    /// 6.18).
    /// </summary>
    Uring,

    /// <summary>
    /// Windows: overlapped WSARecvMsg calls that are posted in advance and complete at a completion port, and
    /// WSASendMsg with segmentation offload (UDP_SEND_MSG_SIZE, Windows 10 2004) if it works. <see cref="Automatic"/>
    /// does not choose it. Receives have run under Wine; segmentation offload (USO) and coalesced receive (URO) have
    /// run only against a model, and nothing has run on Windows.
    /// </summary>
    [Experimental("SPATE001")]
    Winsock,

    /// <summary>
    /// Windows: receives through Registered I/O, whose buffers are registered once, and sends in the same way as
    /// <see cref="Winsock"/>. <see cref="Automatic"/> never chooses it. It has run only against a model of Registered
    /// I/O, never on Windows.
    /// </summary>
    [Experimental("SPATE001")]
    Rio,
}
