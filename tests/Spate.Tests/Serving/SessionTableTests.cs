using Spate.Serving;

namespace Spate.Tests.Serving;

public sealed class SessionTableTests
{
    private static readonly UdpEndPoint Peer = UdpEndPoint.Parse("192.0.2.1:4242");
    private static readonly UdpEndPoint Other = UdpEndPoint.Parse("[2001:db8::1]:4242");

    [Fact]
    public void TryGet_UnknownPeer_FindsNothing()
    {
        SessionTable<long> table = SessionPeers.Table<long>(4);

        Assert.False(table.TryGet(in Peer, out SessionRef<long> session));
        Assert.True(session.IsNone);
        Assert.False(SessionPeers.Has(table, default));
        Assert.Equal(0, table.Count);
    }

    [Fact]
    public void TryAdmit_NewPeer_GivesADefaultSessionInPlace()
    {
        SessionTable<long> table = SessionPeers.Table<long>(4);

        Assert.Equal(SessionAdmission.Admitted, table.GetOrAdmit(in Peer, out SessionRef<long> admitted));
        Assert.Equal(0, admitted.Value);
        Assert.Equal(Peer, admitted.Peer);
        admitted.Value = 7;
        Assert.True(table.TryGet(in Peer, out SessionRef<long> found));
        found.Value++;
        Assert.Equal(8, admitted.Value);
        Assert.Equal(1, table.Count);
    }

    [Fact]
    public void TryAdmit_KnownPeer_GivesItsSession()
    {
        SessionTable<long> table = SessionPeers.Table<long>(4);
        SessionPeers.Admit(table, in Peer, 7);
        SessionPeers.Admit(table, in Other, 8);

        Assert.Equal(SessionAdmission.Known, table.GetOrAdmit(in Peer, out SessionRef<long> session));
        Assert.Equal(7, session.Value);
        Assert.Equal(2, table.Count);
    }

    [Fact]
    public void TryAdmit_DefaultPeer_IsRefused() =>
        Assert.Throws<ArgumentException>(() => SessionPeers.Table<long>(4).GetOrAdmit(default, out _));

    [Fact]
    public void TryAdmit_FullTable_RefusesNewAndServesKnown()
    {
        SessionTable<long> table = SessionPeers.Table<long>(3);
        for (int i = 0; i < 3; i++) SessionPeers.Admit(table, SessionPeers.Of(i), i);

        Assert.Equal(SessionAdmission.Full, table.GetOrAdmit(in Peer, out SessionRef<long> session));
        Assert.True(session.IsNone);
        Assert.Equal(SessionAdmission.Known, table.GetOrAdmit(SessionPeers.Of(1), out _));
        Assert.True(table.Remove(SessionPeers.Of(2)));
        Assert.Equal(SessionAdmission.Admitted, table.GetOrAdmit(in Peer, out _));
    }

    [Fact]
    public void Remove_LastPeerFound_IsNotFoundByTheShortcut()
    {
        List<(UdpEndPoint, long, SessionEndReason)> ends = [];
        SessionTable<long> table = SessionPeers.Table(
            4,
            ended: (in UdpEndPoint peer, ref long session, SessionEndReason reason) =>
                ends.Add((peer, session, reason)));
        SessionPeers.Admit(table, in Peer, 7);
        Assert.True(table.TryGet(in Peer, out SessionRef<long> session));

        Assert.True(table.Remove(in session.Peer));

        Assert.False(SessionPeers.Has(table, in Peer));
        Assert.False(table.Remove(in Peer));
        Assert.Equal([(Peer, 7L, SessionEndReason.Removed)], ends);
        SessionPeers.Admit(table, in Other, 1);
        Assert.False(SessionPeers.Has(table, in Peer));
    }

    [Fact]
    public void GetEnumerator_SessionsRemovedMeanwhile_SeesEachLiveOneOnce()
    {
        SessionTable<string> table = SessionPeers.Table<string>(100);
        for (int i = 0; i < 100; i++) SessionPeers.Admit(table, SessionPeers.Of(i), $"session {i}");
        HashSet<string> seen = [];

        foreach (SessionRef<string> session in table)
        {
            Assert.True(seen.Add(session.Value));
            if (seen.Count % 2 == 0) Assert.True(table.Remove(in session.Peer));
        }

        Assert.Equal(100, seen.Count);
        Assert.Equal(50, table.Count);
        int left = 0;
        foreach (SessionRef<string> session in table) left += session.IsNone ? 0 : 1;
        Assert.Equal(50, left);
    }

    [Fact]
    public void Value_OfNone_ThrowsNullReference()
    {
        Assert.Throws<NullReferenceException>(() => default(SessionRef<long>).Value++);
        Assert.Throws<NullReferenceException>(() => default(SessionRef<string>).Peer.Port);
    }

    [Fact]
    public void Ended_ThatChangesTheTable_IsRefusedAndTheSessionLeavesAllTheSame()
    {
        SessionTable<long> table = null!;
        table = SessionPeers.Table(4, ended: (in UdpEndPoint peer, ref long _, SessionEndReason _) =>
        {
            Assert.False(SessionPeers.Has(table, in peer));
            Assert.True(SessionPeers.Has(table, in Other));
            Assert.Throws<InvalidOperationException>(() => table.TryAddRef(in Other, out _));
            Assert.Throws<InvalidOperationException>(() => table.RemoveExpired());
            table.Remove(in Other);
        });
        SessionPeers.Admit(table, in Peer, 7);
        SessionPeers.Admit(table, in Other, 8);

        Assert.Throws<InvalidOperationException>(() => table.Remove(in Peer));

        Assert.False(SessionPeers.Has(table, in Peer));
        Assert.True(SessionPeers.Has(table, in Other));
        SessionPeers.Admit(table, in Peer, 9);
        Assert.Equal(2, table.Count);
    }

    [Fact]
    public void Prefetch_KnownAndUnknownPeers_ChangesNothing()
    {
        SessionTable<long> table = SessionPeers.Table<long>(65_536);
        UdpEndPoint[] peers = [.. Enumerable.Range(0, 200).Select(i => SessionPeers.Of(i)), default];
        for (int i = 0; i < 100; i++) SessionPeers.Admit(table, in peers[i], i);

        table.Prefetch(peers);
        table.Prefetch([]);

        Assert.Equal(100, table.Count);
        Assert.All(peers[..100], peer => Assert.True(SessionPeers.Has(table, in peer)));
        Assert.All(peers[100..], peer => Assert.False(SessionPeers.Has(table, in peer)));
    }

    [Fact]
    public void Prefetch_ReceivedBatch_LeavesItsPeersToBeFound()
    {
        using UdpSocket receiver = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using UdpSocket sender = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using ReceiveBatch batch = receiver.CreateReceiveBatch();
        SessionTable<long> table = SessionPeers.Table<long>(65_536);
        SessionPeers.Admit(table, sender.LocalEndPoint, 7);
        Assert.True(sender.SendTo([1, 2, 3], receiver.LocalEndPoint).AllSent);
        Assert.Equal(ReceiveStatus.Received, receiver.Receive(batch, TimeSpan.FromSeconds(20)));

        table.Prefetch(batch);

        foreach (Datagram datagram in batch)
        {
            Assert.True(table.TryGet(datagram.Peer, out SessionRef<long> session));
            Assert.Equal(7, session.Value);
        }

        Assert.Equal(1, table.Count);
        Assert.Throws<ArgumentNullException>(() => table.Prefetch((ReceiveBatch)null!));
    }

    [Fact]
    public void ReservedBytes_SessionsOfAnyShape_AreNoMoreThanStated()
    {
        AssertReserved<byte>(8);
        AssertReserved<int>(8);
        AssertReserved<long>(8);
        AssertReserved<string>(8);
        AssertReserved<(long, byte)>(16);
        AssertReserved<(string, int, byte)>(16);
        AssertReserved<UdpEndPoint>(32);
    }

    [Fact]
    public void Constructor_OptionsOutOfRange_AreRefused()
    {
        SessionTableOptions[] wrong =
        [
            new() { MaxSessions = 0 }, new() { MaxSessions = (1 << 24) + 1 },
            new() { NewSessionsPerSecond = 0 }, new() { NewSessionsPerSecondPerPrefix = 1_000_001 },
            new() { NewSessionsBurst = 0 }, new() { NewSessionsBurstPerPrefix = 0 },
            new() { IPv4PrefixBits = 0 }, new() { IPv4PrefixBits = 33 }, new() { IPv6PrefixBits = 65 },
            new() { MaxAgingEntriesPerPass = 15 }, new() { IdleTimeout = TimeSpan.Zero },
            new() { IdleTimeout = TimeSpan.FromDays(366) },
        ];

        Assert.All(wrong, options =>
            Assert.Throws<ArgumentOutOfRangeException>(() => new SessionTable<int>(options)));
    }

    /// <summary>As documented: 40 bytes, the session rounded up to 8, and 16 to 32 bytes of index.</summary>
    private static void AssertReserved<T>(int roundedBytes)
    {
        foreach (int count in (int[])[4, 1000, 1024, 1025, 65_536])
        {
            double each = (double)SessionPeers.Table<T>(count).ReservedBytes / count;
            Assert.InRange(each, 40 + 16, 40 + roundedBytes + 32);
        }
    }
}
