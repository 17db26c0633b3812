using Spate.Serving;

namespace Spate.Tests.Serving;

public sealed class SessionHoldTests
{
    private static readonly UdpEndPoint Peer = UdpEndPoint.Parse("192.0.2.1:4242");
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(2);

    private readonly FakeTime _time = new();
    private readonly List<(int Session, SessionEnd End)> _ends = [];
    private readonly SessionTable<int> _table;

    public SessionHoldTests()
    {
        _table = SessionPeers.Table(
            4, _time, (in UdpEndPoint _, ref int session, SessionEnd end) => _ends.Add((session, end)));
        SessionPeers.Admit(_table, in Peer, 7);
    }

    [Fact]
    public void Age_HeldSession_StaysUntilReleasedAndThenForOneMoreLimit()
    {
        Assert.True(_table.TryHold(in Peer, out SessionHold hold));
        AgeFor(10);
        Assert.Equal(7, _table.Get(hold).Value);
        Assert.Equal(1, _table.Count);

        _table.Release(hold);
        AgeFor(1);
        Assert.Equal(1, _table.Count);
        AgeFor(1);

        Assert.Equal(0, _table.Count);
        Assert.Equal([(7, SessionEnd.Expired)], _ends);
    }

    [Fact]
    public void Remove_HeldSession_EndsWithTheLastRelease()
    {
        Assert.True(_table.TryHold(in Peer, out SessionHold first));
        Assert.True(_table.TryHold(in Peer, out SessionHold second));

        Assert.True(_table.Remove(in Peer));

        Assert.False(SessionPeers.Has(_table, in Peer));
        Assert.False(_table.TryHold(in Peer, out SessionHold none));
        Assert.Equal(default, none);
        Assert.Equal(0, _table.Count);
        _table.Get(first).Value++;
        AgeFor(3);
        _table.Release(first);
        Assert.Empty(_ends);
        Assert.Equal(8, _table.Get(second).Value);
        _table.Release(second);
        Assert.Equal([(8, SessionEnd.Removed)], _ends);
    }

    [Fact]
    public void TryAdmit_PeerWhoseRemovedSessionIsHeld_GetsAnother()
    {
        Assert.True(_table.TryHold(in Peer, out SessionHold hold));
        Assert.True(_table.Remove(in Peer));
        SessionPeers.Admit(_table, in Peer, 20);

        Assert.Equal(7, _table.Get(hold).Value);
        Assert.True(_table.TryGet(in Peer, out SessionRef<int> session));
        Assert.Equal(20, session.Value);
        int seen = 0;
        foreach (SessionRef<int> each in _table) seen += each.Value;
        Assert.Equal(20, seen);
        _table.Release(hold);
        Assert.True(SessionPeers.Has(_table, in Peer));
    }

    [Fact]
    public void TryAdmit_EntriesHeldAfterRemoval_CountAsFull()
    {
        for (int i = 1; i < 4; i++) SessionPeers.Admit(_table, SessionPeers.Of(i), i);
        Assert.True(_table.TryHold(in Peer, out SessionHold hold));
        Assert.True(_table.Remove(in Peer));

        Assert.Equal(SessionAdmission.Full, _table.TryAdmit(in Peer, out _));
        _table.Release(hold);
        Assert.Equal(SessionAdmission.Admitted, _table.TryAdmit(in Peer, out _));
    }

    [Fact]
    public void Release_Twice_IsRefused()
    {
        Assert.True(_table.TryHold(in Peer, out SessionHold hold));
        _table.Release(hold);

        Assert.Throws<ArgumentException>(() => _table.Release(hold));
        Assert.Throws<ArgumentException>(() => _table.Get(hold));
        Assert.Throws<ArgumentException>(() => _table.Release(default));
        Assert.Equal(1, _table.Count);
    }

    [Fact]
    public void Get_HoldOfAnEarlierSessionOfTheEntry_IsRefused()
    {
        Assert.True(_table.TryHold(in Peer, out SessionHold old));
        _table.Release(old);
        Assert.True(_table.Remove(in Peer));
        SessionPeers.Admit(_table, SessionPeers.Of(1), 1);
        Assert.True(_table.TryHold(SessionPeers.Of(1), out SessionHold current));

        Assert.Throws<ArgumentException>(() => _table.Get(old));
        Assert.Throws<ArgumentException>(() => _table.Release(old));
        Assert.Equal(1, _table.Get(current).Value);
    }

    private void AgeFor(double limits)
    {
        for (int step = 0; step < limits * 64; step++)
        {
            _time.Advance(Limit / 64);
            SessionPeers.AgeAll(_table);
        }
    }
}
