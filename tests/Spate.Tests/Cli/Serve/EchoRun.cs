using System.Net;
using System.Net.Sockets;
using Spate.Cli.Serve;

namespace Spate.Tests.Cli.Serve;

/// <summary>An echo server of <c>spate serve</c> in this process, until it is stopped.</summary>
internal sealed class EchoRun : IDisposable
{
    private readonly ServeRun _run;
    private readonly CancellationTokenSource _stop = new();
    private readonly Task<ServeReport> _serving;

    public EchoRun(ServeOptions options)
    {
        _run = ServeRun.Start(options);
        _serving = Task.Run(() => _run.Run(cancellationToken: _stop.Token));
    }

    /// <summary>Loopback options with one local end point, a few threads and no intervals.</summary>
    public static ServeOptions OptionsAt(string address) => new()
    {
        App = ServeApp.Echo,
        LocalEndPoints = [UdpEndPoint.FromIPEndPoint(new IPEndPoint(IPAddress.Parse(address), 0))],
        ThreadCount = 2,
        Interval = TimeSpan.Zero,
    };

    public int Port => _run.Server.LocalEndPoints[0].Port;

    public long Datagrams => _run.Server.GetStatistics().Threads
        .Where(static thread => thread.ShardIndex >= 0).Sum(static thread => thread.Datagrams);

    public long Answers => _run.Server.GetStatistics().Threads.Sum(static thread => thread.RepliesSent);

    public async Task<ServeReport> StopAsync()
    {
        await _stop.CancelAsync();
        return await _serving;
    }

    public void Dispose()
    {
        _run.Dispose();
        _stop.Dispose();
    }
}

/// <summary>An echo server of plain sockets, on a thread of its own.</summary>
internal sealed class ForeignEcho : IDisposable
{
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly Thread _thread;

    public ForeignEcho()
    {
        _socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _thread = new Thread(Answer) { IsBackground = true };
        _thread.Start();
    }

    /// <summary>Sends from the server's own port, as a forged datagram would seem to come from it.</summary>
    public void Send(byte[] payload, int port) => _socket.SendTo(payload, new IPEndPoint(IPAddress.Loopback, port));

    public void Dispose()
    {
        _socket.Dispose();
        _thread.Join();
    }

    private void Answer()
    {
        byte[] buffer = new byte[2048];
        EndPoint peer = new IPEndPoint(IPAddress.Any, 0);
        try
        {
            while (true)
            {
                int length = _socket.ReceiveFrom(buffer, ref peer);
                _ = _socket.SendTo(buffer.AsSpan(0, length), peer);
            }
        }
        catch (Exception fault) when (fault is SocketException or ObjectDisposedException)
        {
            // The socket is closed: the test is over.
        }
    }
}
