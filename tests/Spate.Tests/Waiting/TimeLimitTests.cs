namespace Spate.Tests.Waiting;

/// <summary>Time limits of awaited receives, with timers that the test fires.</summary>
public sealed class TimeLimitTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(1);

    [Fact]
    public async Task ReceiveFromAsync_TimerOfAnEarlierUse_DoesNotEndTheNextCall()
    {
        CancellationToken stop = TestContext.Current.CancellationToken;
        var time = new HandFiredTime();
        using UdpSocket socket = UdpSocket.Bind(OwnAddress.New(), new UdpSocketOptions { TimeProvider = time });
        byte[] buffer = new byte[1];
        ValueTask<ReceivedDatagram> earlier = socket.ReceiveFromAsync(buffer, Limit, stop);
        Assert.True(socket.SendTo([1], socket.LocalEndPoint).IsComplete);
        Assert.Equal(ReceiveStatus.Received, (await earlier).Status);

        // The next use of the same object begins when the first one's time is nearly over.
        time.Advance(0.9 * Limit);
        ValueTask<ReceivedDatagram> later = socket.ReceiveFromAsync(buffer, Limit, stop);
        time.Advance(0.2 * Limit);
        time.FireAll();
        Assert.False(later.IsCompleted);
        Assert.Equal(0.8 * Limit + TimeSpan.FromMilliseconds(1), time.LastDueTime);

        time.Advance(0.9 * Limit);
        time.FireAll();
        Assert.Equal(ReceiveStatus.TimedOut, (await later).Status);
        Assert.Equal(1, time.TimerCount);
    }

    [Fact]
    public void ReceiveFromAsync_NextUseBeginsWhileTheTimerIsLookedAt_ArmsTheLimitOfThatUse()
    {
        var time = new HandFiredTime();
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

        Assert.False(later.IsCompleted);
        Assert.Equal(1, time.TimerCount);
        Assert.Equal(0.1 * Limit + TimeSpan.FromMilliseconds(1), time.LastDueTime);
    }

    /// <summary>Time that passes, and timers that fire, when the test says so.</summary>
    private sealed class HandFiredTime : TimeProvider
    {
        private readonly List<(TimerCallback Callback, object? State)> _timers = [];
        private long _ticks = TimeSpan.TicksPerDay;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public int TimerCount => _timers.Count;

        public TimeSpan LastDueTime { get; private set; }

        /// <summary>Runs once, inside the next look at the clock.</summary>
        public Action? AtNextReading { get; set; }

        public override long GetTimestamp()
        {
            Action? action = AtNextReading;
            AtNextReading = null;
            action?.Invoke();
            return _ticks;
        }

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            _timers.Add((callback, state));
            return new HandFiredTimer(this);
        }

        public void Advance(TimeSpan time) => _ticks += time.Ticks;

        public void FireAll()
        {
            foreach ((TimerCallback callback, object? state) in _timers) callback(state);
        }

        private sealed class HandFiredTimer(HandFiredTime time) : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period)
            {
                time.LastDueTime = dueTime;
                return true;
            }

            public void Dispose()
            {
            }

            public ValueTask DisposeAsync() => ValueTask.CompletedTask;
        }
    }
}
