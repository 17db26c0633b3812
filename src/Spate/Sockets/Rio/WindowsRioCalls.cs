using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Windows;

namespace Spate.Sockets.Rio;

/// <summary>Calls the functions that the system has handed out for a socket.</summary>
// SAFETY: the pointers of the table are the system's, valid as long as ws2_32.dll is loaded, which the runtime never
// unloads. Pointers in arguments are only passed on; IRioCalls and the callers say until when their memory is used.
internal readonly unsafe struct WindowsRioCalls : IRioCalls
{
    private readonly RIO_EXTENSION_FUNCTION_TABLE _table;

    private WindowsRioCalls(in RIO_EXTENSION_FUNCTION_TABLE table) => _table = table;

    /// <summary>Asks the system for its functions.</summary>
    /// <exception cref="SocketException">The system has no Registered I/O.</exception>
    public static WindowsRioCalls Of(Socket socket)
    {
        RIO_EXTENSION_FUNCTION_TABLE table = new() { cbSize = (uint)sizeof(RIO_EXTENSION_FUNCTION_TABLE) };
        Guid wanted = MSWSock.WSAID_MULTIPLE_RIO;
        uint returnedBytes;
        int result = WinSock2.WSAIoctl(
            socket.Handle, WinSock2.SIO_GET_MULTIPLE_EXTENSION_FUNCTION_POINTER, &wanted, (uint)sizeof(Guid), &table,
            (uint)sizeof(RIO_EXTENSION_FUNCTION_TABLE), &returnedBytes, null, null);
        if (result != 0)
        {
            int error = Marshal.GetLastPInvokeError();
            throw new SocketException(error, $"The system has no Registered I/O ({(SocketError)error}).");
        }

        return new WindowsRioCalls(table);
    }

    public nint RegisterBuffer(void* memory, uint bytes, out int error)
    {
        nint id = _table.RIORegisterBuffer(memory, bytes);
        error = ErrorIf((nuint)id == MSWSock.RIO_INVALID_BUFFERID);
        return id;
    }

    public void DeregisterBuffer(nint bufferId) => _table.RIODeregisterBuffer(bufferId);

    public nint CreateCompletionQueue(uint entryCount, RIO_NOTIFICATION_COMPLETION* notification, out int error)
    {
        nint queue = _table.RIOCreateCompletionQueue(entryCount, notification);
        error = ErrorIf(queue == 0);
        return queue;
    }

    public void CloseCompletionQueue(nint completionQueue) => _table.RIOCloseCompletionQueue(completionQueue);

    public nint CreateRequestQueue(nint socket, uint requestCount, nint completionQueue, out int error)
    {
        // One buffer for each request is all that Windows supports. No sends go through the queue.
        nint queue = _table.RIOCreateRequestQueue(
            socket, requestCount, 1, 0, 1, completionQueue, completionQueue, null);
        error = ErrorIf(queue == 0);
        return queue;
    }

    public int Receive(
        nint requestQueue, RIO_BUF* payload, RIO_BUF* peer, RIO_BUF* control, RIO_BUF* receivedFlags, uint flags,
        ulong requestContext) =>
        ErrorIf(_table.RIOReceiveEx(
            requestQueue, payload, 1, null, peer, control, receivedFlags, flags, (void*)requestContext) == 0);

    public int Commit(nint requestQueue) =>
        ErrorIf(_table.RIOReceive(requestQueue, null, 0, MSWSock.RIO_MSG_COMMIT_ONLY, null) == 0);

    public uint Dequeue(nint completionQueue, RIORESULT* results, uint count) =>
        _table.RIODequeueCompletion(completionQueue, results, count);

    public int Notify(nint completionQueue) => _table.RIONotify(completionQueue);

    // The runtime keeps the thread's last error over its own work at the end of a native call.
    private static int ErrorIf(bool hasFailed)
    {
        if (!hasFailed) return 0;
        int error = Marshal.GetLastSystemError();
        return error != 0 ? error : (int)SocketError.SocketError;
    }
}
