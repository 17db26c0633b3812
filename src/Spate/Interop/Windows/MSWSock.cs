using System.Runtime.InteropServices;

namespace Spate.Interop.Windows;

/// <summary><c>mswsockdef.h</c>: a slice of a registered buffer.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct RIO_BUF
{
    public nint BufferId;
    public uint Offset;
    public uint Length;
}

/// <summary><c>mswsockdef.h</c>: a completion of a request.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct RIORESULT
{
    public int Status;
    public uint BytesTransferred;
    public ulong SocketContext;
    public ulong RequestContext;
}

/// <summary>
/// <c>mswsock.h</c>: how a completion queue notifies: by an event, or by a packet at a completion port. The fields
/// after the type are a union of both forms.
/// </summary>
[StructLayout(LayoutKind.Explicit, Size = 32)]
internal unsafe struct RIO_NOTIFICATION_COMPLETION
{
    [FieldOffset(0)]
    public int Type;

    [FieldOffset(8)]
    public nint EventHandle;

    [FieldOffset(16)]
    public int NotifyReset;

    [FieldOffset(8)]
    public nint IocpHandle;

    [FieldOffset(16)]
    public void* CompletionKey;

    [FieldOffset(24)]
    public void* Overlapped;
}

/// <summary><c>mswsock.h</c>: the functions of Registered I/O, as the system hands them out.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct RIO_EXTENSION_FUNCTION_TABLE
{
    public uint cbSize;
    public delegate* unmanaged<nint, RIO_BUF*, uint, uint, void*, int> RIOReceive;
    public delegate* unmanaged<
        nint, RIO_BUF*, uint, RIO_BUF*, RIO_BUF*, RIO_BUF*, RIO_BUF*, uint, void*, int> RIOReceiveEx;
    public delegate* unmanaged<nint, RIO_BUF*, uint, uint, void*, int> RIOSend;
    public delegate* unmanaged<
        nint, RIO_BUF*, uint, RIO_BUF*, RIO_BUF*, RIO_BUF*, RIO_BUF*, uint, void*, int> RIOSendEx;
    public delegate* unmanaged<nint, void> RIOCloseCompletionQueue;
    public delegate* unmanaged<uint, RIO_NOTIFICATION_COMPLETION*, nint> RIOCreateCompletionQueue;
    public delegate* unmanaged<nint, uint, uint, uint, uint, nint, nint, void*, nint> RIOCreateRequestQueue;
    public delegate* unmanaged<nint, RIORESULT*, uint, uint> RIODequeueCompletion;
    public delegate* unmanaged<nint, void> RIODeregisterBuffer;
    public delegate* unmanaged<nint, int> RIONotify;
    public delegate* unmanaged<void*, uint, nint> RIORegisterBuffer;
    public delegate* unmanaged<nint, uint, int> RIOResizeCompletionQueue;
    public delegate* unmanaged<nint, uint, uint, int> RIOResizeRequestQueue;
}

/// <summary><c>mswsock.h</c>: Microsoft's extensions of Winsock.</summary>
internal static class MSWSock
{
    /// <summary>The answer to a registration that failed. Unlike other invalid handles it is not -1.</summary>
    public const uint RIO_INVALID_BUFFERID = 0xFFFFFFFF;

    /// <summary>The count of a dequeue from a queue that cannot be used any more.</summary>
    public const uint RIO_CORRUPT_CQ = 0xFFFFFFFF;

    public const uint RIO_MAX_CQ_SIZE = 0x08000000;
    public const uint RIO_MSG_DONT_NOTIFY = 1;
    public const uint RIO_MSG_DEFER = 2;
    public const uint RIO_MSG_COMMIT_ONLY = 8;
    public const int RIO_EVENT_COMPLETION = 1;
    public const int RIO_IOCP_COMPLETION = 2;

    public static readonly Guid WSAID_WSARECVMSG = new("f689d7c8-6f1f-436b-8a53-e54fe351c322");
    public static readonly Guid WSAID_MULTIPLE_RIO = new("8509e081-96dd-4005-b165-9e2ee8c79e3f");
}
