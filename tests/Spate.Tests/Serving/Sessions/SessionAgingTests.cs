using Spate.Serving;

namespace Spate.Tests.Serving.Sessions;

public sealed class SessionAgingTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(2);
    private static readonly TimeSpan Tick = Limit / 64;

    [Theory]
    [InlineData(0u)]
    [InlineData(uint.MaxValue)]
    [InlineData(uint.MaxValue - 40)]
    [InlineData(0x7FFF_FFF0u)]
    public void Age_IdleSession_EndsBetweenOneAndOnePointThreeLimits(uint firstTick)
    {
        var time = new FakeTime();
        List<UdpEndPoint> ended = [];
        var table = new SessionTable<int>(
            SessionPeers.Options(1000, time),
            (in UdpEndPoint peer, ref int _, SessionEndReason reason) =>
            {
                Assert.Equal(SessionEndReason.Expired, reason);
                ended.Add(peer);
            },
            firstTick);
        for (int i = 0; i < 300; i++) SessionPeers.Admit(table, SessionPeers.Of(i), i);

        int expiredWithinLimit = 0;
        for (int step = 0; step < 64; step++)
        {
            time.Advance(Tick);
            expiredWithinLimit += SessionPeers.AgeAll(table);
        }

        Assert.Equal(0, expiredWithinLimit);
        Assert.Equal(300, table.Count);
        for (int step = 64; step < 84; step++)
        {
            time.Advance(Tick);
            SessionPeers.AgeAll(table);
        }

        Assert.Equal(0, table.Count);
        Assert.Equal(300, ended.Distinct().Count());
        Assert.False(SessionPeers.Has(table, SessionPeers.Of(5)));
    }

    [Theory]
    [InlineData(0u)]
    [InlineData(uint.MaxValue - 100)]
    [InlineData(0x8000_0000u - 100)]
    public void Age_SessionsThatAreFound_StayAcrossTheWrapOfTicks(uint firstTick)
    {
        var time = new FakeTime();
        var table = new SessionTable<int>(SessionPeers.Options(64, time), ended: null, firstTick);
        for (int i = 0; i < 20; i++) SessionPeers.Admit(table, SessionPeers.Of(i), i);

        // Five limits; the first ten peers are found every half limit, one of them by the shortcut as well.
        for (int step = 0; step < 320; step++)
        {
            if (step % 32 == 0) for (int i = 0; i < 10; i++) Assert.True(SessionPeers.Has(table, SessionPeers.Of(i)));
            Assert.True(SessionPeers.Has(table, SessionPeers.Of(9)));
            time.Advance(Tick);
            SessionPeers.AgeAll(table);
        }

        Assert.Equal(10, table.Count);
    }

    [Fact]
    public void Age_AfterAPauseLongerThanTheLimit_SparesWhatWasFoundInThePause()
    {
        var time = new FakeTime();
        SessionTable<int> table = SessionPeers.Table<int>(8, time);
        SessionPeers.Admit(table, SessionPeers.Of(1), 1);
        SessionPeers.Admit(table, SessionPeers.Of(2), 2);
        time.Advance(Tick);
        SessionPeers.AgeAll(table);

        time.Advance(Limit * 3);
        Assert.True(SessionPeers.Has(table, SessionPeers.Of(1)));
        SessionPeers.AgeAll(table);
        time.Advance(Limit / 4);
        SessionPeers.AgeAll(table);

        Assert.True(SessionPeers.Has(table, SessionPeers.Of(1)));
        Assert.False(SessionPeers.Has(table, SessionPeers.Of(2)));
    }

    [Theory]
    [InlineData(16)]
    [InlineData(100)]
    [InlineData(1024)]
    public void Age_ManyEntries_LooksAtNoMoreThanTheBound(int entriesPerPass)
    {
        var time = new FakeTime();
        var table = new SessionTable<int>(
            SessionPeers.Options(20_000, time) with { MaxAgingEntriesPerPass = entriesPerPass });
        for (int i = 0; i < 20_000; i++) SessionPeers.Admit(table, SessionPeers.Of(i), i);
        time.Advance(Limit * 2);
        table.RemoveExpired();
        int passCount = 0;

        while (table.Count > 0)
        {
            if (passCount % 100 == 0) time.Advance(Limit / 4);
            long before = table.AgedEntryCount;
            int expired = table.RemoveExpired();
            passCount++;
            Assert.InRange(table.AgedEntryCount - before, 0, entriesPerPass);
            Assert.InRange(expired, 0, (entriesPerPass / 9) + 1);
        }

        // The bound that the documentation gives for a turn in which everything expires.
        Assert.InRange(passCount, 1, (20_000 * 9 / entriesPerPass) + (20_000 / entriesPerPass) + 100);
    }

    [Fact]
    public void Age_NoTimeHasPassed_LooksAtNothing()
    {
        var time = new FakeTime();
        SessionTable<int> table = SessionPeers.Table<int>(1000, time);
        for (int i = 0; i < 1000; i++) SessionPeers.Admit(table, SessionPeers.Of(i), i);
        time.Advance(Tick);
        SessionPeers.AgeAll(table);
        long looked = table.AgedEntryCount;

        time.Advance(Tick / 2);
        for (int i = 0; i < 100; i++) table.RemoveExpired();

        Assert.Equal(looked, table.AgedEntryCount);
        Assert.InRange(looked, 1, (1000 / 16) + 1);
    }

    [Fact]
    public void Age_InfiniteLimit_KeepsAll()
    {
        var time = new FakeTime();
        var table = new SessionTable<int>(SessionPeers.Options(8, time) with { IdleTimeout = null });
        SessionPeers.Admit(table, SessionPeers.Of(1), 1);

        for (int day = 0; day < 1000; day++)
        {
            time.Advance(TimeSpan.FromDays(1));
            Assert.Equal(0, table.RemoveExpired());
        }

        Assert.Equal(1, table.Count);
    }

    [Fact]
    public void Age_ChurningSessions_EndsExactlyTheIdleOnes()
    {
        Random random = RandomCase.Create();
        var time = new FakeTime();
        SessionTable<int> table = SessionPeers.Table<int>(2000, time);
        Dictionary<int, long> seenAt = [];
        for (int step = 0; step < 2000; step++)
        {
            for (int i = 0; i < 5; i++)
            {
                int number = random.Next(3000);
                bool known = SessionPeers.Has(table, SessionPeers.Of(number));
                if (known) Assert.True(step - seenAt[number] <= 84, $"{number} was kept for too long.");
                else if (seenAt.TryGetValue(number, out long seen)) Assert.True(step - seen > 64, $"{number} is gone.");
                if (!known && table.GetOrAdmit(SessionPeers.Of(number), out _) != SessionAdmission.Admitted) continue;
                seenAt[number] = step;
            }

            time.Advance(Tick);
            SessionPeers.AgeAll(table);
        }
    }
}
