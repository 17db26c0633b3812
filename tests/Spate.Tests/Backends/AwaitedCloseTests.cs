using System.Net;
using System.Net.Sockets;
using Spate.Backends;

namespace Spate.Tests.Backends;

/// <summary>Closing a socket whose calls are awaited, at moments that chance seldom hits.</summary>
[Collection(AloneCollection.Name)]
public sealed class AwaitedCloseTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    // What a ring has mapped is gone once the socket is closed: a look at it then ends the process.
    [Theory]
    [InlineData(UdpBackend.Uring)]
    [InlineData(UdpBackend.Mmsg)]
    [InlineData(UdpBackend.Portable)]
    public async Task ReceiveAsync_ClosedAsReadinessIsAskedForAgain_EndsAsClosed(UdpBackend kind)
    {
        CancellationToken stop = TestContext.Current.CancellationToken;
        StoppedReadiness? readiness = null;
        UdpSocket socket = Open(kind, backend => backend.WrapReadiness = inner => readiness = new(inner));
        using ReceiveBatch first = socket.CreateReceiveBatch();
        using ReceiveBatch second = socket.CreateReceiveBatch();

        // The first one takes the datagram; for the second one the readiness thread has to ask again.
        Task<ReceiveStatus> served = socket.ReceiveAsync(first, stop).AsTask();
        Task<ReceiveStatus> waiting = socket.ReceiveAsync(second, stop).AsTask();
        socket.SendTo([1], socket.LocalEndPoint);
        Assert.True(readiness!.Stopped.Wait(Patience, stop), "Readiness is not asked for again.");
        var closer = new Thread(socket.Dispose) { IsBackground = true };
        closer.Start();
        bool closed = closer.Join(Patience);
        readiness.GoOn.Set();

        Assert.True(closed, "Dispose waits for the readiness thread.");
        Assert.Null(await readiness.Asked.Task.WaitAsync(Patience, stop));
        Assert.Equal(ReceiveStatus.Received, await served.WaitAsync(Patience, stop));
        Assert.Equal(ReceiveStatus.Closed, await waiting.WaitAsync(Patience, stop));
    }

    private static UdpSocket Open(UdpBackend kind, Action<WrappedBackend> prepare, UdpSocketOptions? options = null)
    {
        UdpCapabilities capabilities = UdpCapabilities.Probe();
        Assert.SkipUnless(kind != UdpBackend.Mmsg || capabilities.Mmsg.Available, capabilities.Mmsg.Reason);
        Assert.SkipUnless(kind != UdpBackend.Uring || capabilities.Uring.Available, capabilities.Uring.Reason);
        options ??= new UdpSocketOptions();
        Socket socket = SocketSetup.Open(AddressFamily.InterNetwork, options);
        SocketSetup.Apply(socket, options);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        SocketContext context = new(socket, options, default);
        WrappedBackend backend = new(context, BackendSelector.Create(kind, context));
        prepare(backend);
        return new UdpSocket(context, backend);
    }
}
