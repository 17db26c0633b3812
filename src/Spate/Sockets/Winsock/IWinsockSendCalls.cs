using System.Net.Sockets;
using Spate.Interop.Windows;

namespace Spate.Sockets.Winsock;

/// <summary>
/// The system calls of <see cref="WinsockSender{TCalls}"/>, which gets the implementation as a struct type parameter,
/// as Mmsg does: tests substitute a struct that fails on purpose. Pointers are used only during the call.
/// </summary>
internal unsafe interface IWinsockSendCalls
{
    /// <summary>Calls WSASendMsg without OVERLAPPED. Returns 0, or the code of the error.</summary>
    int SendMessage(nint socket, WSAMSG* message);

    /// <summary>Waits until the socket has room for a datagram. Returns false at the timeout.</summary>
    bool WaitWritable(Socket socket, int timeoutMilliseconds);
}
