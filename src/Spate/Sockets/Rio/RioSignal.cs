using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Interop.Windows;

namespace Spate.Sockets.Rio;

/// <summary>
/// Announces completions to calls that wait: by an event, by a completion port, or not at all if the queue is only
/// polled. The event also exists in the other forms, for other code to wait for (PollDescriptor); then only
/// <see cref="Set"/> sets it.
/// </summary>
// SAFETY: the handles are open and the packet's memory is valid until Dispose, which is called after the last wait and
// after the completion queue was closed.
internal sealed unsafe class RioSignal : IDisposable
{
    private readonly UdpSocketOptions.RioNotification _form;
    private readonly OVERLAPPED* _packet;
    private readonly nint _port;

    /// <exception cref="SocketException">The system has no memory for another handle.</exception>
    public RioSignal(UdpSocketOptions.RioNotification form)
    {
        _form = form;
        Event = SynchApi.CreateEventW(null, manualReset: 0, initialState: 0, null);
        if (Event == 0) throw Refused();
        if (form != UdpSocketOptions.RioNotification.Port) return;
        _port = IoApiSet.CreateIoCompletionPort(IoApiSet.InvalidHandleValue, 0, 0, 0);
        if (_port == 0)
        {
            SocketException fault = Refused();
            HandleApi.CloseHandle(Event);
            throw fault;
        }

        _packet = (OVERLAPPED*)NativeMemory.AllocZeroed((nuint)sizeof(OVERLAPPED));
    }

    /// <summary>The handle of the event. It resets itself when a wait for it ends.</summary>
    public nint Event { get; }

    /// <summary>Describes the notification for a completion queue. False if the queue is to notify nothing.</summary>
    public bool TryDescribe(out RIO_NOTIFICATION_COMPLETION notification)
    {
        notification = default;
        switch (_form)
        {
            case UdpSocketOptions.RioNotification.Event:
                // RIONotify is not to reset the event (NotifyReset): it would undo Set.
                notification.Type = MSWSock.RIO_EVENT_COMPLETION;
                notification.EventHandle = Event;
                return true;
            case UdpSocketOptions.RioNotification.Port:
                notification.Type = MSWSock.RIO_IOCP_COMPLETION;
                notification.IocpHandle = _port;
                notification.Overlapped = _packet;
                return true;
            default:
                return false;
        }
    }

    /// <summary>Ends one wait, now or later.</summary>
    public void Set()
    {
        if (_port != 0) IoApiSet.PostQueuedCompletionStatus(_port, 0, 0, _packet);
        SynchApi.SetEvent(Event);
    }

    /// <summary>Waits for a notification, for <see cref="Set"/> or the timeout (-1: forever).</summary>
    public void Wait(int timeoutMilliseconds)
    {
        uint milliseconds = timeoutMilliseconds < 0 ? WinBase.INFINITE : (uint)timeoutMilliseconds;
        if (_port == 0)
        {
            SynchApi.WaitForSingleObject(Event, milliseconds);
            return;
        }

        OVERLAPPED_ENTRY entry;
        uint count;
        IoApiSet.GetQueuedCompletionStatusEx(_port, &entry, 1, &count, milliseconds, alertable: 0);
    }

    public void Dispose()
    {
        HandleApi.CloseHandle(Event);
        if (_port == 0) return;
        HandleApi.CloseHandle(_port);
        NativeMemory.Free(_packet);
    }

    private static SocketException Refused() => new(
        (int)SocketError.NoBufferSpaceAvailable,
        $"The system returned no handle for Registered I/O (error {Marshal.GetLastPInvokeError()}).");
}
