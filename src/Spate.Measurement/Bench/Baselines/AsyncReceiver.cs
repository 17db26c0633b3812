using System.Net;
using System.Net.Sockets;

namespace Spate.Measurement.Bench.Baselines;

/// <summary>A receiver that awaits every datagram; after the first wait its loop runs on pool threads.</summary>
internal abstract class AsyncReceiver(Socket socket) : BenchReceiver
{
    private volatile bool _stopping;

    public override IPEndPoint LocalEndPoint => (IPEndPoint)socket.LocalEndPoint!;

    public override int BufferGrantedBytes => BaselineSocket.GrantedReceiveBytes(socket);

    protected Socket Socket => socket;

    public override void Run()
    {
        try
        {
            ReceiveForEverAsync().GetAwaiter().GetResult();
        }
        catch (Exception e) when (_stopping && e is (SocketException or ObjectDisposedException))
        {
            // Closing the socket is how a loop without a token, as people write it, is ended.
        }
    }

    public override void Stop()
    {
        _stopping = true;
        Close();
    }

    /// <summary>The loop as people write it; it ends by the exception that closing the socket causes.</summary>
    protected abstract Task ReceiveForEverAsync();

    protected override void Close() => socket.Dispose();
}
