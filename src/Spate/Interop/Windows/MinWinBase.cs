using System.Runtime.InteropServices;

namespace Spate.Interop.Windows;

/// <summary>
/// <c>minwinbase.h</c>: an overlapped call. Its memory belongs to the system until the call has ended.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal struct OVERLAPPED
{
    /// <summary><see cref="STATUS_PENDING"/> until the call has ended (macro HasOverlappedIoCompleted).</summary>
    public nuint Internal;
    public nuint InternalHigh;
    public uint Offset;
    public uint OffsetHigh;
    public nint hEvent;

    public const int STATUS_PENDING = 259;
}

/// <summary><c>minwinbase.h</c>: a packet of a completion port.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct OVERLAPPED_ENTRY
{
    public nuint lpCompletionKey;
    public OVERLAPPED* lpOverlapped;
    public nuint Internal;
    public uint dwNumberOfBytesTransferred;
}
