namespace Spate.Tests.Samples;

/// <summary>The requests of the sample clients: their ids, tries and deadlines.</summary>
public sealed class RequestTrackerTests
{
    private const int MaxTries = 3;

    private static readonly TimeSpan FirstTimeout = TimeSpan.FromMilliseconds(100);
    private static readonly UdpEndPoint Peer = UdpEndPoint.Loopback(1);
    private static readonly UdpEndPoint Stranger = UdpEndPoint.Loopback(2);

    private readonly FakeTime _time = new();

    [Fact]
    public void TryTakeDue_NoAnswer_IsDueAtDoublingTimeoutsAndThenLost()
    {
        RequestTracker<string> tracker = Create(capacity: 1);
        Assert.Equal(Timeout.InfiniteTimeSpan, tracker.UntilDue);
        Assert.True(tracker.TryAdd(7, Peer, "request"));

        foreach (int timeout in (int[])[100, 200, 400])
        {
            Assert.Equal(TimeSpan.Zero, tracker.UntilDue);
            Assert.Equal([new(7, Peer, "request", IsLost: false)], TakeDue(tracker));
            Assert.Equal(TimeSpan.FromMilliseconds(timeout), tracker.UntilDue);
            _time.Advance(TimeSpan.FromMilliseconds(timeout - 1));
            Assert.Empty(TakeDue(tracker));
            _time.Advance(TimeSpan.FromMilliseconds(1));
        }

        Assert.Equal([new(7, Peer, "request", IsLost: true)], TakeDue(tracker));
        Assert.Equal((0, Timeout.InfiniteTimeSpan), (tracker.Count, tracker.UntilDue));
        Assert.False(tracker.TryComplete(7, Peer));
    }

    [Fact]
    public void TryComplete_AnswersInEachState_EndsTheRequestOnce()
    {
        RequestTracker<string> tracker = Create(capacity: 4);
        for (int id = 0; id < 4; id++)
        {
            Assert.True(tracker.TryAdd(id, Peer, $"request {id}"));
            TakeDue(tracker);
            _time.Advance(FirstTimeout);
        }

        // The tries of the requests differ by now: a forged, a right and a repeated answer to each.
        foreach (int id in (int[])[2, 0, 3, 1])
        {
            Assert.False(tracker.TryComplete(id, Stranger));
            Assert.False(tracker.TryComplete(id + 4, Peer));
            Assert.True(tracker.TryFind(id, Peer, out string? request));
            Assert.Equal($"request {id}", request);
            Assert.True(tracker.TryComplete(id, Peer));
            Assert.False(tracker.TryComplete(id, Peer));
            Assert.False(tracker.TryFind(id, Peer, out request));
            Assert.Null(request);
        }

        Assert.Equal(0, tracker.Count);
        _time.Advance(TimeSpan.FromDays(1));
        Assert.Empty(TakeDue(tracker));
    }

    [Fact]
    public void TryComplete_AnswerAfterTheTimeout_IsInTimeUntilTheRequestIsLost()
    {
        RequestTracker<string> tracker = Create(capacity: 1);
        tracker.TryAdd(1, Peer, "request");
        TakeDue(tracker);

        _time.Advance(TimeSpan.FromDays(1));

        Assert.True(tracker.TryComplete(1, Peer));
    }

    [Fact]
    public void TryAdd_FullOrIdInUse_IsRefusedUntilOneEnds()
    {
        RequestTracker<string> tracker = Create(capacity: 2);
        Assert.True(tracker.TryAdd(ushort.MaxValue, Peer, "last id"));
        Assert.False(tracker.IsFull);
        Assert.False(tracker.TryAdd(ushort.MaxValue, Stranger, "same id"));
        Assert.True(tracker.TryAdd(0, Peer, "id that wrapped"));
        Assert.True(tracker.IsFull);
        Assert.False(tracker.TryAdd(1, Peer, "one too many"));

        Assert.True(tracker.TryComplete(ushort.MaxValue, Peer));
        Assert.True(tracker.TryAdd(ushort.MaxValue, Stranger, "next turn"));

        Assert.False(tracker.TryComplete(ushort.MaxValue, Peer));   // late: of the turn before
        Assert.Equal(
            ["id that wrapped", "next turn"], TakeDue(tracker).Select(due => due.Request), StringComparer.Ordinal);
    }

    [Fact]
    public void TryTakeDue_ManyAtTheSameMoment_AreTakenOnceEachInTheirOrder()
    {
        RequestTracker<string> tracker = Create(capacity: 100);
        int[] ids = [.. Enumerable.Range(0, 100)];
        foreach (int id in ids) tracker.TryAdd(id, Peer, "request");

        // Zero time passes between the calls of a pass, and any time may pass: the pass ends all the same.
        long now = _time.GetTimestamp();
        for (int count = 0; tracker.TryTakeDue(now, out DueRequest<string> due); count++)
        {
            Assert.Equal(ids[count], due.Id);
            _time.Advance(FirstTimeout);
        }

        Assert.Equal(ids, TakeDue(tracker).Select(due => due.Id));
    }

    [Fact]
    public void EachOperation_HundredThousandRequests_KeepsAccountOfAllAndAllocatesNothing()
    {
        const int Count = 100_000;
        RequestTracker<int> tracker = new(Count, MaxTries, FirstTimeout, _time);
        Run(tracker, 10);
        long start = GC.GetAllocatedBytesForCurrentThread();
        (int sent, int completed, int lost) = Run(tracker, Count);

        // The steps of the virtual clock allocate a little; an object for each request has 24 bytes or more.
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - start, 0, Count);
        Assert.Equal((Count / 2, Count / 2), (completed, lost));
        Assert.Equal(completed + (lost * MaxTries), sent);
    }

    [Theory]
    [InlineData(0, 1, 1)]
    [InlineData(1, 0, 1)]
    [InlineData(1, 17, 1)]
    [InlineData(1, 1, 0)]
    [InlineData(1, 1, 3601)]
    public void Constructor_OutOfRange_Throws(int capacity, int maxTries, int timeoutSeconds) =>
        Assert.Throws<ArgumentOutOfRangeException>(
            () => new RequestTracker<int>(capacity, maxTries, TimeSpan.FromSeconds(timeoutSeconds), _time));

    private RequestTracker<string> Create(int capacity) => new(capacity, MaxTries, FirstTimeout, _time);

    private List<DueRequest<string>> TakeDue(RequestTracker<string> tracker)
    {
        List<DueRequest<string>> taken = [];
        long now = _time.GetTimestamp();
        while (tracker.TryTakeDue(now, out DueRequest<string> due)) taken.Add(due);
        return taken;
    }

    // Requests with odd ids are answered after their first try, in the reverse order; the others never.
    private (int Sent, int Completed, int Lost) Run(RequestTracker<int> tracker, int count)
    {
        int sent = 0, completed = 0, lost = 0;
        for (int id = 0; id < count; id++) tracker.TryAdd(id, Peer, id);
        while (tracker.Count > 0)
        {
            long now = _time.GetTimestamp();
            while (tracker.TryTakeDue(now, out DueRequest<int> due))
            {
                if (due.IsLost) lost++;
                else sent++;
            }

            for (int id = count - 1; id > 0; id -= 2)
            {
                if (tracker.TryComplete(id, Peer)) completed++;
            }

            _time.Advance(FirstTimeout);
        }

        return (sent, completed, lost);
    }
}
