using System.Net;
using System.Net.Sockets;

namespace Spate.Tests;

/// <summary>Closing a socket that is not as it should be. Alone, since a closed number may be another test's.</summary>
[ProcessWide("a closed descriptor's number may be another test's")]
public sealed class CloseFaultTests
{
    [Theory]
    [InlineData(UdpBackend.Portable)]
    [InlineData(UdpBackend.Mmsg)]
    public async Task Dispose_DescriptorClosedBehindItsBack_EndsWhatWaits(UdpBackend backend)
    {
        UdpCapability mmsg = UdpCapabilities.Current.Mmsg;
        Assert.SkipUnless(backend != UdpBackend.Mmsg || mmsg.IsAvailable, mmsg.Reason);
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        UdpSocket adopted = UdpSocket.FromSocket(socket, new UdpSocketOptions { Backend = backend });
        using ReceiveBatch batch = adopted.CreateReceiveBatch();
        Task<ReceiveStatus> waiting = adopted.ReceiveAsync(batch, TestContext.Current.CancellationToken).AsTask();

        socket.Dispose();
        adopted.Dispose();

        // Without epoll the runtime ends the request for an event, and the thread that then tries the call may be
        // faster than the close.
        Exception? fault = await Record.ExceptionAsync(
            () => waiting.WaitAsync(TimeSpan.FromSeconds(20), TestContext.Current.CancellationToken));
        if (!OperatingSystem.IsLinux() && fault is ObjectDisposedException) return;
        Assert.Null(fault);
        Assert.Equal(ReceiveStatus.Closed, await waiting);
    }
}
