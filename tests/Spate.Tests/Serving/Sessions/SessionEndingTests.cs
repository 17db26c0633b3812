using Spate.Serving;

namespace Spate.Tests.Serving.Sessions;

public sealed class SessionEndingTests
{
    private const int Count = 50;

    [Fact]
    public void EndAll_LiveHeldAndRemovedSessions_EachEndsOnceAndTheTableIsEmpty()
    {
        List<(int Session, SessionEndReason Reason)> ends = [];
        SessionTable<int> table = SessionPeers.Table(
            Count, ended: (in UdpEndPoint _, ref int session, SessionEndReason reason) => ends.Add((session, reason)));
        for (int i = 0; i < Count; i++) SessionPeers.Admit(table, SessionPeers.Of(i), i);
        Assert.True(table.TryAddRef(SessionPeers.Of(1), out SessionHandle kept));
        Assert.True(table.TryAddRef(SessionPeers.Of(2), out SessionHandle removed));
        Assert.True(table.Remove(SessionPeers.Of(2)));
        Assert.True(table.Remove(SessionPeers.Of(3)));
        Assert.Equal([(3, SessionEndReason.Removed)], ends);
        ends.Clear();

        Assert.Equal(Count - 1, table.Clear());

        Assert.All(ends, end => Assert.Equal(SessionEndReason.Stopped, end.Reason));
        Assert.Equal(
            Enumerable.Range(0, Count).Where(i => i != 3), ends.Select(end => end.Session).Order());
        Assert.Equal(0, table.Count);
        Assert.Equal(0, table.Clear());
        Assert.Throws<ArgumentException>(() => table.Release(kept));
        Assert.Throws<ArgumentException>(() => table.Release(removed));
        for (int i = 0; i < Count; i++) Assert.False(SessionPeers.Has(table, SessionPeers.Of(i)));
        for (int i = 0; i < Count; i++) SessionPeers.Admit(table, SessionPeers.Of(i), i);
        Assert.Equal(Count, table.Count);
    }

    [Fact]
    public void EndAll_CallbackThrows_AllEndAndTheFirstFaultIsThrown()
    {
        int ends = 0;
        SessionTable<int> table = SessionPeers.Table(
            Count,
            ended: (in UdpEndPoint _, ref int session, SessionEndReason _) =>
            {
                ends++;
                if (session % 2 == 1) throw new FormatException($"{session}");
            });
        for (int i = 0; i < Count; i++) SessionPeers.Admit(table, SessionPeers.Of(i), i);

        Assert.Equal("1", Assert.Throws<FormatException>(() => table.Clear()).Message);

        Assert.Equal(Count, ends);
        Assert.Equal(0, table.Count);
    }

    [Fact]
    public void EndAll_ByTheCallback_Refused()
    {
        SessionTable<int>? table = null;
        table = SessionPeers.Table(1, ended: (in UdpEndPoint _, ref int _, SessionEndReason _) => table!.Clear());
        SessionPeers.Admit(table, SessionPeers.Of(1), 1);
        Assert.Throws<InvalidOperationException>(() => table.Clear());
        Assert.Equal(0, table.Count);
    }
}
