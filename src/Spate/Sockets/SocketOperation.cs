namespace Spate.Sockets;

/// <summary>The kind of call that failed with an errno.</summary>
internal enum SocketOperation
{
    /// <summary>recvmmsg, recvmsg or recvfrom.</summary>
    Receive,

    /// <summary>A send of a plain datagram.</summary>
    SendOne,

    /// <summary>A send of a GSO message (UDP_SEGMENT).</summary>
    SendGso,
}
