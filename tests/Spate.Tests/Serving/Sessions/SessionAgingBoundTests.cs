using Spate.Serving;

namespace Spate.Tests.Serving.Sessions;

/// <summary>The time in which idle sessions end, in whatever rhythm the table is called.</summary>
public sealed class SessionAgingBoundTests
{
    private const int SessionCount = 50_000;

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan CallInterval = TimeSpan.FromMilliseconds(100);

    // 1.3 limits and the time between two calls.
    private static readonly TimeSpan Bound = (Limit * 1.3) + CallInterval;

    private readonly FakeTime _time = new();

    [Theory]
    [InlineData(1024, true)]
    [InlineData(1 << 17, false)]
    public void Age_RareCalls_SessionsEndInTimeUnlessABacklogIsReported(int entriesPerPass, bool isBehind)
    {
        SessionTable<int> table = FullTable(SessionCount, entriesPerPass);
        int maxBacklog = 0;
        for (TimeSpan passed = CallInterval; table.Count > 0; passed += CallInterval)
        {
            _time.Advance(CallInterval);
            table.RemoveExpired();
            maxBacklog = Math.Max(maxBacklog, table.AgingBacklog);
            if (passed > Bound && table.Count > 0) Assert.InRange(table.AgingBacklog, 1, SessionCount);
        }

        Assert.Equal(isBehind, maxBacklog > 0);
        _time.Advance(CallInterval);
        table.RemoveExpired();
        Assert.InRange(table.AgingBacklog, 0, isBehind ? SessionCount : 0);
    }

    [Fact]
    public void TryAdmit_TableFullOfExpiredSessions_TakesTheirPlacesAtOnce()
    {
        const int count = 5000;
        List<SessionEndReason> ended = [];
        SessionTable<int> table = FullTable(
            count, entriesPerPass: 16, (in UdpEndPoint _, ref int _, SessionEndReason reason) =>
            ended.Add(reason));
        _time.Advance(Limit * 1.1);

        for (int i = 0; i < count; i++) SessionPeers.Admit(table, SessionPeers.Of(count + i), i);

        Assert.Equal((count, count), (table.Count, ended.Count(static end => end == SessionEndReason.Expired)));
        Assert.Equal(SessionAdmission.Full, table.GetOrAdmit(SessionPeers.Of(3 * count), out _));
        Assert.Equal(1, table.Refusals.Full);
    }

    [Fact]
    public void TryAdmit_FewExpiredSessionsAmongLiveOnes_ReclaimsExactlyThose()
    {
        const int count = 5000;
        const int live = count - 10;
        SessionTable<int> table = FullTable(count, entriesPerPass: 100);
        for (int step = 0; step < 13; step++)
        {
            _time.Advance(CallInterval);
            for (int i = 0; i < live; i++) Assert.True(SessionPeers.Has(table, SessionPeers.Of(i)));

            // An admission reads the clock too.
            _ = table.GetOrAdmit(SessionPeers.Of(count), out _);
        }

        _time.Advance(Limit * 0.5);
        int admitted = 0;
        for (int i = 0; i < 1000; i++)
        {
            if (table.GetOrAdmit(SessionPeers.Of((2 * count) + i), out _) == SessionAdmission.Admitted) admitted++;
        }

        Assert.Equal(count - live, admitted);
        for (int i = 0; i < live; i++) Assert.True(SessionPeers.Has(table, SessionPeers.Of(i)));
    }

    [Theory]
    [InlineData(0u)]
    [InlineData(uint.MaxValue - 30)]
    public void Age_AfterAPauseOfCalls_NeverEndsASessionEarly(uint firstTick)
    {
        SessionTableOptions options = SessionPeers.Options(8, _time, Limit);
        var table = new SessionTable<int>(options, ended: null, firstTick);
        SessionPeers.Admit(table, SessionPeers.Of(1), 1);
        Assert.True(SessionPeers.Has(table, SessionPeers.Of(1)));
        SessionPeers.Admit(table, SessionPeers.Of(2), 2);

        // Found just before a call that comes late: not idle at the calls that follow.
        _time.Advance(Limit * 0.99);
        Assert.True(SessionPeers.Has(table, SessionPeers.Of(1)));
        Assert.True(SessionPeers.Has(table, SessionPeers.Of(2)));
        for (int i = 0; i < 9; i++)
        {
            _time.Advance(CallInterval);
            table.RemoveExpired();
        }

        Assert.Equal(2, table.Count);
        for (int i = 0; i < 20; i++)
        {
            _time.Advance(CallInterval);
            table.RemoveExpired();
        }

        Assert.Equal(0, table.Count);
    }

    [Fact]
    public void Release_AfterAPauseOfCalls_CountsAsFound()
    {
        SessionTable<int> table = new(SessionPeers.Options(8, _time, Limit));
        SessionPeers.Admit(table, SessionPeers.Of(1), 1);
        Assert.True(table.TryAddRef(SessionPeers.Of(1), out SessionHandle handle));
        _time.Advance(CallInterval);
        table.RemoveExpired();

        _time.Advance(Limit * 0.99);
        table.Release(handle);
        for (int i = 0; i < 9; i++)
        {
            _time.Advance(CallInterval);
            table.RemoveExpired();
        }

        Assert.Equal(1, table.Count);
    }

    private SessionTable<int> FullTable(int count, int entriesPerPass, SessionEndedCallback<int>? ended = null)
    {
        SessionTableOptions options = SessionPeers.Options(count, _time, Limit) with
        {
            MaxAgingEntriesPerPass = entriesPerPass,
        };
        SessionTable<int> table = new(options, ended);
        for (int i = 0; i < count; i++) SessionPeers.Admit(table, SessionPeers.Of(i), i);
        return table;
    }
}
