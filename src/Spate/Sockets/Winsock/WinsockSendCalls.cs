using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Windows;

namespace Spate.Sockets.Winsock;

/// <summary>Makes the real system calls.</summary>
// SAFETY: pointers are only passed on; the caller keeps their memory valid until the call returns.
internal readonly unsafe struct WinsockSendCalls : IWinsockSendCalls
{
    public int SendMessage(nint socket, WSAMSG* message)
    {
        // Without OVERLAPPED the call is synchronous: the system has copied the payload when it returns. No packet is
        // queued to a completion port either.
        uint sentBytes;
        int result = WinSock2.WSASendMsg(socket, message, 0, &sentBytes, null, null);
        return result == 0 ? 0 : Marshal.GetLastPInvokeError();
    }

    public bool WaitWritable(Socket socket, int timeoutMilliseconds) =>
        socket.Poll(timeoutMilliseconds * 1000, SelectMode.SelectWrite);
}
