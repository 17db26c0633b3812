using System.Net.Sockets;

namespace Spate.Sockets;

/// <summary>
/// The meaning of the error numbers of one system: the errnos of Linux (<see cref="ErrnoPolicy"/>), or the codes of
/// Winsock (<see cref="SocketErrorPolicy"/>). Classes that react to errors get the policy as a struct type parameter,
/// so one reaction serves both systems.
/// </summary>
internal interface IErrorPolicy
{
    /// <summary>The reactions of a receive, of a plain send and of a send with GSO.</summary>
    static abstract ErrorRow Of(int error);

    /// <summary>
    /// Whether an error that refuses a datagram may also be an ICMP error about an earlier datagram. Then the send is
    /// tried once more before its datagram is refused.
    /// </summary>
    static abstract bool MayBePending(int error);

    /// <summary>
    /// Whether an error that normally reports an ICMP error about an earlier datagram may also concern the datagram
    /// that is being sent.
    /// </summary>
    static abstract bool MayBeRoute(int error);

    /// <summary>The <see cref="SocketError"/> of an error number, for results and exceptions.</summary>
    static abstract SocketError ToSocketError(int error);

    /// <summary>The name of an error number, for messages.</summary>
    static abstract string Describe(int error);
}

/// <summary>The reactions to an error.</summary>
/// <param name="Receive">After a call that receives.</param>
/// <param name="SendOne">After a send of a plain datagram.</param>
/// <param name="SendGso">After a send of a GSO message.</param>
internal readonly record struct ErrorRow(ErrnoAction Receive, ErrnoAction SendOne, ErrnoAction SendGso);
