using Spate.Interop.Linux;

namespace Spate.Tests.Sockets;

/// <summary>
/// A receive that fails for an unknown reason, for ever: it pauses longer and longer and never spins.
/// </summary>
public sealed class FaultInjectionBackOffTests
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(1);

    /// <summary>
    /// Pauses of 1, 2, 4 to 256 ms leave 489 of the 1000, so at most 10 pauses and 11 calls fit; a slow machine makes
    /// fewer, but one that does not come back from the first pause for a second.
    /// </summary>
    private const int MaxCallCount = 11;

    [Theory]
    [InlineData(Errno.EIO)]
    [InlineData(InjectedErrno.Unknown)]
    public void Receive_UnknownErrorForEver_BacksOffUntilTimeout(int errno)
    {
        var faults = new FaultSchedule();
        using UdpSocket socket = FaultySocket.Bind(faults);
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        FaultySocket.SendNumbered(socket.LocalEndPoint, 1);
        faults.FailEvery(CallKind.ReceiveMany, 1, errno);

        Assert.Equal(ReceiveStatus.TimedOut, socket.Receive(batch, Timeout));

        Assert.InRange(faults.CountOf(CallKind.ReceiveMany), 2, MaxCallCount);
    }

    [Theory]
    [InlineData(false, CallKind.ReceiveOne)]
    [InlineData(true, CallKind.ReceiveMany)]
    public void ReceiveFrom_UnknownErrorForEver_BacksOffUntilTimeout(bool coalesced, object kind)
    {
        var faults = new FaultSchedule();
        using UdpSocket socket = FaultySocket.Bind(faults, coalesced);
        FaultySocket.SendNumbered(socket.LocalEndPoint, 1);
        faults.FailEvery((CallKind)kind, 1, InjectedErrno.Unknown);

        Assert.Equal(ReceiveStatus.TimedOut, socket.ReceiveFrom(new byte[100], Timeout, out _));

        Assert.InRange(faults.CountOf((CallKind)kind), 2, MaxCallCount);
    }

    [Fact]
    public void Receive_UnknownErrorFakeClock_EndsWhenTheClockSays()
    {
        var time = new FakeTime();
        var faults = new FaultSchedule { Before = _ => time.Advance(TimeSpan.FromSeconds(1)) };
        using UdpSocket socket = FaultySocket.Bind(faults, options: new UdpSocketOptions { TimeProvider = time });
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        faults.FailEvery(CallKind.ReceiveMany, 1, InjectedErrno.Unknown);

        Assert.Equal(ReceiveStatus.TimedOut, socket.Receive(batch, TimeSpan.FromSeconds(5)));

        // The clock starts once the first call has found that it must wait.
        Assert.Equal(6, faults.CountOf(CallKind.ReceiveMany));
    }

    [Theory]
    [InlineData(Errno.ECONNREFUSED)]
    [InlineData(Errno.ENOBUFS)]
    [InlineData(InjectedErrno.Unknown)]
    public void TryReceive_EveryCallFails_ReturnsAtOnce(int errno)
    {
        var faults = new FaultSchedule();
        using UdpSocket socket = FaultySocket.Bind(faults);
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        faults.FailEvery(CallKind.ReceiveMany, 1, errno);

        Assert.Equal(ReceiveStatus.Empty, socket.TryReceive(batch));

        Assert.InRange(faults.CountOf(CallKind.ReceiveMany), 1, 100);
    }

    [Fact]
    public async Task ReceiveAsync_CallThatIsOurFault_FaultsTheAwaitOnly()
    {
        var faults = new FaultSchedule();
        using UdpSocket socket = FaultySocket.Bind(faults);
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        Task<ReceiveStatus> waiting = socket.ReceiveAsync(batch, TestContext.Current.CancellationToken).AsTask();
        faults.FailEvery(CallKind.ReceiveMany, 1, Errno.EFAULT, maxTimes: 1);
        FaultySocket.SendNumbered(socket.LocalEndPoint, 1);

        await Assert.ThrowsAsync<InvalidOperationException>(
            () => waiting.WaitAsync(FaultySocket.Patience, TestContext.Current.CancellationToken));

        // The readiness thread lives, and so does the socket.
        Assert.Equal(
            ReceiveStatus.Received,
            await socket.ReceiveAsync(batch, TestContext.Current.CancellationToken)
                .AsTask().WaitAsync(FaultySocket.Patience, TestContext.Current.CancellationToken));
    }

    [Fact]
    public void Dispose_ReceivePausing_EndsThePause()
    {
        // The seventh pause and those after it last 64 ms to 1 s; closing must not wait for the end of one.
        var faults = new FaultSchedule();
        using var longPause = new ManualResetEventSlim();
        UdpSocket socket = FaultySocket.Bind(faults);
        using ReceiveBatch batch = socket.CreateReceiveBatch();
        faults.FailEvery(CallKind.ReceiveMany, 1, InjectedErrno.Unknown);
        faults.Before = _ =>
        {
            if (faults.CountOf(CallKind.ReceiveMany) >= 10) longPause.Set();
        };
        ReceiveStatus status = ReceiveStatus.Received;
        var receiver = new Thread(() => status = socket.Receive(batch)) { IsBackground = true };
        receiver.Start();
        Assert.True(longPause.Wait(FaultySocket.Patience, TestContext.Current.CancellationToken));

        socket.Dispose();

        Assert.True(receiver.Join(FaultySocket.Patience));
        Assert.Equal(ReceiveStatus.Closed, status);
    }
}
