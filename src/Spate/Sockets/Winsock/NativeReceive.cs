using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Spate.Interop.Windows;
using Spate.Messages;

namespace Spate.Sockets.Winsock;

/// <summary>
/// The native memory of one posted receive, all but its payload. The system writes to it until the receive has ended.
/// The size is a multiple of two cache lines, so that no two receives share one.
/// </summary>
// SAFETY: the caller passes a receive that is in its memory and that is not posted. HasEnded only reads.
[StructLayout(LayoutKind.Sequential, Size = NativeReceive.SizeBytes)]
internal unsafe struct NativeReceive
{
    public const int SizeBytes = 512;

    public OVERLAPPED Overlapped;
    public WSAMSG Message;
    public WSABUF Payload;

    /// <summary>The buffer for the end of a longer datagram. Directly after the first one, as an array.</summary>
    public WSABUF Spill;
    public NativeName Name;
    public NativeControl Control;

    /// <summary>
    /// Whether the receive has ended (macro HasOverlappedIoCompleted). Its packet may reach the completion port later.
    /// </summary>
    public static bool HasEnded(NativeReceive* message) =>
        Volatile.Read(ref message->Overlapped.Internal) != OVERLAPPED.STATUS_PENDING;

    /// <summary>Prepares a receive that is not posted.</summary>
    /// <param name="message">The receive.</param>
    /// <param name="signalled">The event to signal at its end.</param>
    /// <param name="payload">The buffer of the payload.</param>
    /// <param name="payloadBytes">The size of that buffer.</param>
    /// <param name="spill">The memory for the end of a longer datagram; null if no datagram is longer.</param>
    /// <param name="spillBytes">The size of that memory.</param>
    public static void Prepare(
        NativeReceive* message, nint signalled, nint payload, int payloadBytes, nint spill, int spillBytes)
    {
        message->Overlapped = new OVERLAPPED { hEvent = signalled };
        message->Payload = new WSABUF { buf = (void*)payload, len = (uint)payloadBytes };
        message->Spill = new WSABUF { buf = (void*)spill, len = (uint)spillBytes };
        message->Message = new WSAMSG
        {
            name = &message->Name,
            namelen = Unsafe.SizeOf<UdpEndPoint>(),
            lpBuffers = &message->Payload,
            dwBufferCount = spill == 0 ? 1u : 2u,
            Control = new WSABUF { buf = &message->Control, len = ControlMessages.MaxReceivedBytes },
        };
    }

    /// <summary>Room for a UdpEndPoint, which has the layout of a socket address.</summary>
    [InlineArray(32)]
    public struct NativeName
    {
        private byte _first;
    }

    [InlineArray(ControlMessages.MaxReceivedBytes)]
    public struct NativeControl
    {
        private byte _first;
    }
}
