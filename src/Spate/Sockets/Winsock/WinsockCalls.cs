using System.Runtime.InteropServices;
using Spate.Interop.Windows;

namespace Spate.Sockets.Winsock;

/// <summary>Makes the real system calls.</summary>
// SAFETY: pointers are only passed on; the caller keeps their memory valid.
internal readonly unsafe struct WinsockCalls : IWinsockCalls
{
    public int Receive(nint function, nint socket, WSAMSG* message, uint* receivedBytes, OVERLAPPED* overlapped)
    {
        var receive = (delegate* unmanaged<nint, WSAMSG*, uint*, OVERLAPPED*, void*, int>)function;
        int result = receive(socket, message, receivedBytes, overlapped, null);
        return result == 0 ? 0 : Marshal.GetLastSystemError();
    }

    public int ErrorOf(nint socket, OVERLAPPED* overlapped)
    {
        uint bytes, flags;
        bool hasSucceeded = WinSock2.WSAGetOverlappedResult(socket, overlapped, &bytes, wait: 0, &flags) != 0;
        return hasSucceeded ? 0 : Marshal.GetLastPInvokeError();
    }

    public int Dequeue(nint port, OVERLAPPED_ENTRY* packets, int roomCount, int timeoutMilliseconds)
    {
        uint count = 0;
        int isFilled = IoApiSet.GetQueuedCompletionStatusEx(
            port, packets, (uint)roomCount, &count, unchecked((uint)timeoutMilliseconds), alertable: 0);
        return isFilled != 0 ? (int)count : 0;
    }

    public void Post(nint port) => IoApiSet.PostQueuedCompletionStatus(port, 0, 0, null);

    public void Cancel(nint socket) => IoApiSet.CancelIoEx(socket, null);

    /// <summary>
    /// Asks the socket for its function WSARecvMsg: each provider has one of its own.
    /// </summary>
    /// <exception cref="System.Net.Sockets.SocketException">The system has none.</exception>
    public static nint FindReceive(nint socket)
    {
        Guid id = MSWSock.WSAID_WSARECVMSG;
        nint function = 0;
        uint bytes;
        int result = WinSock2.WSAIoctl(
            socket, WinSock2.SIO_GET_EXTENSION_FUNCTION_POINTER, &id, (uint)sizeof(Guid), &function,
            (uint)sizeof(nint), &bytes, null, null);
        if (result != 0) throw new System.Net.Sockets.SocketException(Marshal.GetLastPInvokeError());
        return function;
    }
}
