using Spate.Waiting;

namespace Spate.Tests.Polling;

public sealed class PollEntryTests
{
    [Fact]
    public void TryEnd_EventDuringTheTurn_TurnGoesOnOnce()
    {
        PollEntry entry = Create();

        Assert.True(entry.TryBegin());
        Assert.False(entry.TryBegin());
        Assert.False(entry.TryBegin());
        Assert.False(entry.TryEnd());
        Assert.True(entry.TryEnd());
        Assert.True(entry.TryBegin());
    }

    [Fact]
    public void Leave_DuringTheTurn_NoTurnBeginsAnyMore()
    {
        PollEntry entry = Create();
        Assert.True(entry.TryBegin());

        Assert.True(entry.Leave());

        Assert.True(entry.HasLeft);
        Assert.True(entry.TryEnd());
        Assert.False(entry.TryBegin());
        Assert.False(entry.Leave());
    }

    [Fact]
    public void Find_PlaceUsedAgain_OldNumberFindsNobody()
    {
        var table = new PollEntryTable();
        PollEntry[] first = [.. Enumerable.Range(0, 200).Select(_ => Create())];
        foreach (PollEntry entry in first) table.Add(entry);
        Assert.All(first, entry => Assert.Same(entry, table.Find(entry.Id)));
        ulong old = first[7].Id;

        table.Remove(first[7]);
        table.Remove(first[7]);
        PollEntry next = Create();
        table.Add(next);

        Assert.Equal((uint)old, (uint)next.Id);
        Assert.Null(table.Find(old));
        Assert.Same(next, table.Find(next.Id));
        Assert.Equal(200, table.All().Length);
        Assert.Null(table.Find(0));
        Assert.Null(table.Find(uint.MaxValue));
    }

    private static PollEntry Create() => new(new CallbackSource(), new object(), null, 0);
}
