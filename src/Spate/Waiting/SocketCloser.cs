using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Spate.Waiting;

/// <summary>
/// Closes a socket that was not disposed, once its context is collected. On Unix, after an asynchronous call was
/// cancelled, the runtime references the socket until the next event of the socket. So the socket's own finalizer
/// may never run.
/// </summary>
internal sealed class SocketCloser : SafeHandle
{
    private const int None = 0;
    private const int Some = 1;

    private readonly Socket _socket;

    public SocketCloser(Socket socket)
        : base(None, ownsHandle: true)
    {
        _socket = socket;
        SetHandle(Some);
    }

    /// <inheritdoc/>
    public override bool IsInvalid => handle == None;

    /// <inheritdoc/>
    protected override bool ReleaseHandle()
    {
        // On Windows a socket's Dispose waits until nobody uses the handle any more. The receives that are posted on
        // it end only when their own finalizer has run, on this same thread.
        if (OperatingSystem.IsWindows()) _socket.SafeHandle.Dispose();
        else _socket.Dispose();
        return true;
    }
}
