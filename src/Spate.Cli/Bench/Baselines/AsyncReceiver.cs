using System.Net;
using System.Net.Sockets;

namespace Spate.Cli.Bench.Baselines;

/// <summary>A receiver that awaits every datagram. After the first wait its loop runs on pool threads.</summary>
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
            // Most programs pass no cancellation token; closing the socket ends their loops, and this one.
        }
    }

    public override void Stop()
    {
        _stopping = true;
        Close();
    }

    /// <summary>Receives as most programs do. The exception that closing the socket causes ends the loop.</summary>
    protected abstract Task ReceiveForEverAsync();

    protected override void Close() => socket.Dispose();
}
