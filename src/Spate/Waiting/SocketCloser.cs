using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Spate.Waiting;

/// <summary>
/// Closes a socket when whoever refers to this was collected. On Unix the runtime keeps a socket that an asynchronous
/// call was cancelled on, until its next event, so the socket's own finalizer may never run.
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
        _socket.Dispose();
        return true;
    }
}
