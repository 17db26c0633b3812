using System.Net.Sockets;

namespace Spate.Tests.Sockets;

/// <summary>Close at moments that chance seldom hits.</summary>
public sealed class FaultInjectionCloseTests
{
    private readonly FaultSchedule _faults = new();
    private Thread? _closer;

    [Fact]
    public async Task ReceiveFromAsync_ClosedBetweenTryAndWait_EndsAsClosed()
    {
        // With IcmpErrors the last that a try does is to read the error queue; it does not look at Close after that.
        UdpSocket socket = FaultySocket.Bind(_faults, options: new UdpSocketOptions { ReportIcmpErrors = true });
        _faults.BeforeErrorQueue = () => CloseUpToTheWait(socket);

        Task<ReceivedDatagram> waiting = socket
            .ReceiveFromAsync(new byte[10], TestContext.Current.CancellationToken).AsTask();

        await Assert.ThrowsAsync<ObjectDisposedException>(
            () => waiting.WaitAsync(FaultySocket.Patience, TestContext.Current.CancellationToken));
        Assert.True(_closer!.Join(FaultySocket.Patience));
    }

    [Fact]
    public void GetCounters_CloseUnderWay_LosesNothing()
    {
        UdpSocket socket = FaultySocket.Bind(_faults);
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        FaultySocket.SendNumbered(socket.LocalEndPoint, 3);
        for (int left = 3; left > 0; left -= batch.Count) Assert.Equal(ReceiveStatus.Received, socket.Receive(batch));
        UdpCounters before = socket.GetCounters();
        UdpCounters during = default;
        _faults.Before = _ =>
        {
            CloseUpToTheWait(socket);
            during = socket.GetCounters();
        };

        Assert.Equal(ReceiveStatus.Closed, socket.TryReceive(batch));

        Assert.Equal(3, before.DatagramsReceived);
        Assert.Equal(before, during);
        Assert.True(_closer!.Join(FaultySocket.Patience));
        Assert.Equal(before, socket.GetCounters());
    }

    // Called from inside a call of the socket, so Dispose comes as far as waiting for that call to leave.
    private void CloseUpToTheWait(UdpSocket socket)
    {
        if (_closer is not null) return;
        _closer = new Thread(socket.Dispose) { IsBackground = true };
        _closer.Start();
        bool waits = SpinWait.SpinUntil(
            () => (_closer.ThreadState & ThreadState.WaitSleepJoin) != ThreadState.Running, FaultySocket.Patience);
        Assert.True(waits, "Dispose did not wait for the call.");
    }
}
