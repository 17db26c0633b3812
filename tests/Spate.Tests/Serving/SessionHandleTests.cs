using Spate.Serving;

namespace Spate.Tests.Serving;

public sealed class SessionHandleTests
{
    private static readonly UdpEndPoint Peer = UdpEndPoint.Parse("192.0.2.1:4242");
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(2);

    private readonly FakeTime _time = new();
    private readonly List<(int Session, SessionEndReason Reason)> _ends = [];
    private readonly SessionTable<int> _table;

    public SessionHandleTests()
    {
        _table = SessionPeers.Table(
            4, _time, (in UdpEndPoint _, ref int session, SessionEndReason reason) => _ends.Add((session, reason)));
        SessionPeers.Admit(_table, in Peer, 7);
    }

    [Fact]
    public void Age_HeldSession_StaysUntilReleasedAndThenForOneMoreLimit()
    {
        Assert.True(_table.TryAddRef(in Peer, out SessionHandle handle));
        AgeFor(10);
        Assert.Equal(7, _table.Get(handle).Value);
        Assert.Equal(1, _table.Count);

        _table.Release(handle);
        AgeFor(1);
        Assert.Equal(1, _table.Count);
        AgeFor(1);

        Assert.Equal(0, _table.Count);
        Assert.Equal([(7, SessionEndReason.Expired)], _ends);
    }

    [Fact]
    public void Remove_HeldSession_EndsWithTheLastRelease()
    {
        Assert.True(_table.TryAddRef(in Peer, out SessionHandle first));
        Assert.True(_table.TryAddRef(in Peer, out SessionHandle second));

        Assert.True(_table.Remove(in Peer));

        Assert.False(SessionPeers.Has(_table, in Peer));
        Assert.False(_table.TryAddRef(in Peer, out SessionHandle none));
        Assert.Equal(default, none);
        Assert.Equal(0, _table.Count);
        _table.Get(first).Value++;
        AgeFor(3);
        _table.Release(first);
        Assert.Empty(_ends);
        Assert.Equal(8, _table.Get(second).Value);
        _table.Release(second);
        Assert.Equal([(8, SessionEndReason.Removed)], _ends);
    }

    [Fact]
    public void TryAdmit_PeerWhoseRemovedSessionIsHeld_GetsAnother()
    {
        Assert.True(_table.TryAddRef(in Peer, out SessionHandle handle));
        Assert.True(_table.Remove(in Peer));
        SessionPeers.Admit(_table, in Peer, 20);

        Assert.Equal(7, _table.Get(handle).Value);
        Assert.True(_table.TryGet(in Peer, out SessionRef<int> session));
        Assert.Equal(20, session.Value);
        int seen = 0;
        foreach (SessionRef<int> each in _table) seen += each.Value;
        Assert.Equal(20, seen);
        _table.Release(handle);
        Assert.True(SessionPeers.Has(_table, in Peer));
    }

    [Fact]
    public void TryAdmit_EntriesHeldAfterRemoval_CountAsFull()
    {
        for (int i = 1; i < 4; i++) SessionPeers.Admit(_table, SessionPeers.Of(i), i);
        Assert.True(_table.TryAddRef(in Peer, out SessionHandle handle));
        Assert.True(_table.Remove(in Peer));

        Assert.Equal(SessionAdmission.Full, _table.GetOrAdmit(in Peer, out _));
        _table.Release(handle);
        Assert.Equal(SessionAdmission.Admitted, _table.GetOrAdmit(in Peer, out _));
    }

    [Fact]
    public void Release_Twice_IsRefused()
    {
        Assert.True(_table.TryAddRef(in Peer, out SessionHandle handle));
        _table.Release(handle);

        Assert.Throws<ArgumentException>(() => _table.Release(handle));
        Assert.Throws<ArgumentException>(() => _table.Get(handle));
        Assert.Throws<ArgumentException>(() => _table.Release(default));
        Assert.Equal(1, _table.Count);
    }

    [Fact]
    public void Get_HoldOfAnEarlierSessionOfTheEntry_IsRefused()
    {
        Assert.True(_table.TryAddRef(in Peer, out SessionHandle old));
        _table.Release(old);
        Assert.True(_table.Remove(in Peer));
        SessionPeers.Admit(_table, SessionPeers.Of(1), 1);
        Assert.True(_table.TryAddRef(SessionPeers.Of(1), out SessionHandle current));

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
