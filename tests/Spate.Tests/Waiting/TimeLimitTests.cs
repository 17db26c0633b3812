namespace Spate.Tests.Waiting;

/// <summary>Time limits of awaited receives, with timers that the test fires.</summary>
public sealed class TimeLimitTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(1);

    [Fact]
    public async Task ReceiveFromAsync_TimerOfAnEarlierUse_DoesNotEndTheNextCall()
    {
        CancellationToken stop = TestContext.Current.CancellationToken;
        var time = new FakeTime();
        using UdpSocket socket = UdpSocket.Bind(OwnAddress.New(), new UdpSocketOptions { TimeProvider = time });
        byte[] buffer = new byte[1];
        ValueTask<ReceivedDatagram> earlier = socket.ReceiveFromAsync(buffer, Limit, stop);
        Assert.True(socket.SendTo([1], socket.LocalEndPoint).AllSent);
        Assert.Equal(ReceiveStatus.Received, (await earlier).Status);

        // The next use of the same object begins when the first one's time is nearly over.
        time.Advance(0.9 * Limit);
        ValueTask<ReceivedDatagram> later = socket.ReceiveFromAsync(buffer, Limit, stop);
        time.Advance(0.2 * Limit);
        time.FireAll();
        Assert.False(later.IsCompleted);

        time.Advance(0.8 * Limit);
        Assert.False(later.IsCompleted);
        Assert.Equal(1, time.Advance(TimeSpan.FromMilliseconds(1)));
        Assert.Equal(ReceiveStatus.TimedOut, (await later).Status);
        Assert.Equal(1, time.TimerCount);
    }

    [Fact]
    public async Task ReceiveFromAsync_NextUseBeginsWhileTheTimerIsLookedAt_ArmsTheLimitOfThatUse()
    {
        var time = new LookedAtTime();
        using UdpSocket socket = UdpSocket.Bind(OwnAddress.New(), new UdpSocketOptions { TimeProvider = time });
        byte[] buffer = new byte[1];
        using var cancellation = new CancellationTokenSource();
        ValueTask<ReceivedDatagram> earlier = socket.ReceiveFromAsync(buffer, Limit, cancellation.Token);
        ValueTask<ReceivedDatagram> later = default;
        time.AtNextReading = () =>
        {
            cancellation.Cancel();
            Assert.Throws<OperationCanceledException>(() => earlier.GetAwaiter().GetResult());
            later = socket.ReceiveFromAsync(buffer, 0.1 * Limit, TestContext.Current.CancellationToken);
        };

        time.FireAll();

        Assert.Equal(1, time.TimerCount);
        time.Advance(0.1 * Limit);
        Assert.False(later.IsCompleted);
        Assert.Equal(1, time.Advance(TimeSpan.FromMilliseconds(1)));
        Assert.Equal(ReceiveStatus.TimedOut, (await later).Status);
    }

    /// <summary>A clock with something that happens while it is looked at.</summary>
    private sealed class LookedAtTime : FakeTime
    {
        /// <summary>Runs once, inside the next look at the clock.</summary>
        public Action? AtNextReading { get; set; }

        public override long GetTimestamp()
        {
            Action? action = AtNextReading;
            AtNextReading = null;
            action?.Invoke();
            return base.GetTimestamp();
        }
    }
}
