using System.Runtime.InteropServices;

namespace Spate.Interop.Windows;

/// <summary><c>winsock2.h</c>, <c>ws2def.h</c>: a buffer of a message or control.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct WSABUF
{
    public uint len;
    public void* buf;
}

/// <summary><c>ws2def.h</c>: a message with its name, buffers and control messages.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct WSAMSG
{
    public void* name;
    public int namelen;
    public WSABUF* lpBuffers;
    public uint dwBufferCount;
    public WSABUF Control;
    public uint dwFlags;
}

/// <summary><c>winsock2.h</c>, <c>ws2def.h</c>: sockets.</summary>
internal static unsafe partial class WinSock2
{
    public const int SOCK_DGRAM = 2;
    public const int IPPROTO_UDP = 17;
    public const nint INVALID_SOCKET = -1;
    public const uint WSA_FLAG_OVERLAPPED = 1;
    public const uint WSA_FLAG_NO_HANDLE_INHERIT = 128;
    public const uint WSA_FLAG_REGISTERED_IO = 256;
    public const uint SIO_GET_EXTENSION_FUNCTION_POINTER = 0xC8000006;
    public const uint SIO_GET_MULTIPLE_EXTENSION_FUNCTION_POINTER = 0xC8000024;
    public const uint MSG_TRUNC = 256;
    public const uint MSG_CTRUNC = 512;
    public const uint MSG_BCAST = 1024;
    public const uint MSG_MCAST = 2048;

    /// <summary>The end of an overlapped call is reported later. Also ERROR_IO_PENDING.</summary>
    public const int WSA_IO_PENDING = 997;

    /// <summary>The call was cancelled, or its socket closed. Also ERROR_OPERATION_ABORTED.</summary>
    public const int WSA_OPERATION_ABORTED = 995;

    [LibraryImport("ws2_32", SetLastError = true)]
    internal static partial nint WSASocketW(int af, int type, int protocol, void* info, uint group, uint flags);

    [LibraryImport("ws2_32", SetLastError = true)]
    internal static partial int WSAIoctl(
        nint socket, uint code, void* input, uint inputBytes, void* output, uint outputBytes, uint* returnedBytes,
        OVERLAPPED* overlapped, void* routine);

    [LibraryImport("ws2_32", SetLastError = true)]
    internal static partial int WSASendMsg(
        nint socket, WSAMSG* message, uint flags, uint* sentBytes, OVERLAPPED* overlapped, void* routine);

    [LibraryImport("ws2_32", SetLastError = true)]
    internal static partial int WSAGetOverlappedResult(
        nint socket, OVERLAPPED* overlapped, uint* bytes, int wait, uint* flags);

    [LibraryImport("ws2_32", SetLastError = true)]
    internal static partial int setsockopt(nint socket, int level, int name, void* value, int valueBytes);

    [LibraryImport("ws2_32", SetLastError = true)]
    internal static partial int closesocket(nint socket);
}
