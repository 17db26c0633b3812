using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Windows;
using Spate.Messages;

namespace Spate.Sockets.Winsock;

/// <summary>
/// Receives single messages with their segment size by overlapped WSARecvMsg, for a probe. Not for use by several
/// threads.
/// </summary>
internal sealed unsafe class ProbeReceiver : IDisposable
{
    private const int BufferBytes = 65_536;

    private readonly byte[] _buffer = GC.AllocateUninitializedArray<byte>(BufferBytes, pinned: true);
    private readonly byte[] _control = GC.AllocateArray<byte>(ControlMessages.MaxReceivedBytes, pinned: true);
    private readonly nint _event;
    private readonly nint _socket;
    private readonly delegate* unmanaged<nint, WSAMSG*, uint*, OVERLAPPED*, void*, int> _receive;

    public ProbeReceiver(Socket socket)
    {
        _socket = socket.Handle;
        Guid id = MSWSock.WSAID_WSARECVMSG;
        nint function = 0;
        uint bytes;

        // SAFETY: the system writes a pointer to the variable during the call.
        int result = WinSock2.WSAIoctl(
            _socket, WinSock2.SIO_GET_EXTENSION_FUNCTION_POINTER, &id, (uint)sizeof(Guid), &function,
            (uint)sizeof(nint), &bytes, null, null);
        if (result != 0) throw new SocketException(Marshal.GetLastPInvokeError());
        _receive = (delegate* unmanaged<nint, WSAMSG*, uint*, OVERLAPPED*, void*, int>)function;
        _event = SynchApi.CreateEventW(null, manualReset: 1, initialState: 0, null);
    }

    /// <summary>Receives one message. Returns null, or the reason why none came.</summary>
    /// <param name="timeoutMilliseconds">The longest time to wait.</param>
    /// <param name="payload">The payload, until the next call.</param>
    /// <param name="segmentBytes">The size of the datagrams in the payload; 0 if the system did not give one.</param>
    public string? Receive(int timeoutMilliseconds, out ReadOnlySpan<byte> payload, out int segmentBytes)
    {
        payload = default;
        segmentBytes = 0;

        // SAFETY: the buffers are pinned. The headers are on the stack, and this method returns only after the receive
        // has ended, also if it has to be cancelled.
        WSABUF piece = new() { buf = Address(_buffer), len = BufferBytes };
        WSAMSG message = new() { lpBuffers = &piece, dwBufferCount = 1 };
        message.Control.buf = Address(_control);
        message.Control.len = (uint)_control.Length;
        OVERLAPPED overlapped = new() { hEvent = _event };
        int result = _receive(_socket, &message, null, &overlapped, null);
        int error = result == 0 ? 0 : Marshal.GetLastSystemError();
        if (error != 0 && error != WinSock2.WSA_IO_PENDING) return SocketErrorPolicy.Describe(error);
        bool isOver = SynchApi.WaitForSingleObject(_event, (uint)timeoutMilliseconds) == 0;
        if (!isOver) IoApiSet.CancelIoEx(_socket, &overlapped);
        uint bytes, flags;
        if (WinSock2.WSAGetOverlappedResult(_socket, &overlapped, &bytes, wait: 1, &flags) == 0)
        {
            return isOver ? SocketErrorPolicy.Describe(Marshal.GetLastPInvokeError()) : "no more arrived in time";
        }

        payload = _buffer.AsSpan(0, (int)bytes);
        segmentBytes = WinsockReceivedControl.SegmentBytes(_control.AsSpan(0, (int)message.Control.len));
        return null;
    }

    public void Dispose() => HandleApi.CloseHandle(_event);

    private static void* Address(byte[] pinned) => (void*)Marshal.UnsafeAddrOfPinnedArrayElement(pinned, 0);
}
