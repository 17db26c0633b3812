using System.Net;
using Spate.Serving;

namespace Spate.CliTests.Samples;

/// <summary>The handler of a sample on a server of this process, on one thread as in the sample.</summary>
internal sealed class ServedSample<THandler> : IAsyncDisposable
    where THandler : UdpHandler
{
    private readonly UdpServer _server;

    public ServedSample(TimeSpan tickInterval, Func<UdpShard, THandler> create)
    {
        _server = UdpServer.Start(
            new UdpServerOptions
            {
                LocalEndPoints = [UdpEndPoint.Loopback(0)],
                ThreadCount = 1,
                TickInterval = tickInterval,
            },
            shard => Handler = create(shard));
        EndPoint = IPEndPoint.Parse($"{_server.LocalEndPoints[0]}");
    }

    /// <summary>The handler, which the thread of the server has until <see cref="StopAsync"/>.</summary>
    public THandler? Handler { get; private set; }

    public IPEndPoint EndPoint { get; }

    /// <summary>Stops the server, which handles the datagrams that are queued.</summary>
    public Task StopAsync() => _server.StopAsync();

    public ValueTask DisposeAsync() => _server.DisposeAsync();
}
