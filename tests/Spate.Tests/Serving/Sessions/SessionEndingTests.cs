using Spate.Serving;

namespace Spate.Tests.Serving.Sessions;

public sealed class SessionEndingTests
{
    private const int Count = 50;

    [Fact]
    public void EndAll_LiveHeldAndRemovedSessions_EachEndsOnceAndTheTableIsEmpty()
    {
        List<(int Session, SessionEnd End)> ends = [];
        SessionTable<int> table = SessionPeers.Table(
            Count, ended: (in UdpEndPoint _, ref int session, SessionEnd end) => ends.Add((session, end)));
        for (int i = 0; i < Count; i++) SessionPeers.Admit(table, SessionPeers.Of(i), i);
        Assert.True(table.TryAddRef(SessionPeers.Of(1), out SessionHandle kept));
        Assert.True(table.TryAddRef(SessionPeers.Of(2), out SessionHandle removed));
        Assert.True(table.Remove(SessionPeers.Of(2)));
        Assert.True(table.Remove(SessionPeers.Of(3)));
        Assert.Equal([(3, SessionEnd.Removed)], ends);
        ends.Clear();

        Assert.Equal(Count - 1, table.EndAll());

        Assert.All(ends, end => Assert.Equal(SessionEnd.Stopped, end.End));
        Assert.Equal(
            Enumerable.Range(0, Count).Where(i => i != 3), ends.Select(end => end.Session).Order());
        Assert.Equal(0, table.Count);
        Assert.Equal(0, table.EndAll());
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
            ended: (in UdpEndPoint _, ref int session, SessionEnd _) =>
            {
                ends++;
                if (session % 2 == 1) throw new FormatException($"{session}");
            });
        for (int i = 0; i < Count; i++) SessionPeers.Admit(table, SessionPeers.Of(i), i);

        Assert.Equal("1", Assert.Throws<FormatException>(() => table.EndAll()).Message);

        Assert.Equal(Count, ends);
        Assert.Equal(0, table.Count);
    }

    [Fact]
    public void EndAll_ByTheCallback_Refused()
    {
        SessionTable<int>? table = null;
        table = SessionPeers.Table(1, ended: (in UdpEndPoint _, ref int _, SessionEnd _) => table!.EndAll());
        SessionPeers.Admit(table, SessionPeers.Of(1), 1);
        Assert.Throws<InvalidOperationException>(() => table.EndAll());
        Assert.Equal(0, table.Count);
    }
}
