using System.Runtime.CompilerServices;
using Spate.Serving;

namespace Spate.Tests.Serving.Sessions;

/// <summary>
/// Row 12 of the reliability table: floods leave the count within the cap, the memory within the bytes stated, and
/// proven sessions served.
/// </summary>
[ProcessWide("memory of the process")]
public sealed class SessionFloodTests
{
    private const int ForgedCount = 1_000_000;
    private const int ProvenCount = 1000;
    private const int Cap = 65_536;
    private const int EntryBytes = 40;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Flood_MillionForgedSources_LeavesMemoryCapAndProvenSessions(bool everyForgedIsAccepted)
    {
        var time = new FakeTime();
        RefuseOnce(time);
        long before = GC.GetAllocatedBytesForCurrentThread();
        var table = new SessionTable<Session>(new()
        {
            TimeProvider = time,
            NewSessionsPerSecond = everyForgedIsAccepted ? null : 10_000,
            NewSessionsPerSecondPerPrefix = everyForgedIsAccepted ? null : 20,
        });
        long madeBytes = GC.GetAllocatedBytesForCurrentThread() - before;
        for (int i = 0; i < ProvenCount; i++) SessionPeers.Admit(table, Proven(i), default);
        UdpEndPoint[] forged = [.. Enumerable.Range(0, ForgedCount).Select(i => SessionPeers.Of(i * 4099L))];
        before = GC.GetAllocatedBytesForCurrentThread();
        int served = 0;

        for (int i = 0; i < ForgedCount; i++)
        {
            if (!SessionPeers.Has(table, in forged[i])) table.GetOrAdmit(in forged[i], out _);
            if (i % 100 == 0 && table.TryGet(Proven(i / 100 % ProvenCount), out SessionRef<Session> session))
            {
                session.Value.Datagrams++;
                session.Value.Bytes += 64;
                served++;
            }
        }

        long floodBytes = GC.GetAllocatedBytesForCurrentThread() - before - ProvenAllocation(ForgedCount / 100);
        Assert.InRange(table.Count, ProvenCount, Cap);
        if (everyForgedIsAccepted) Assert.Equal(Cap, table.Count);
        Assert.Equal(ForgedCount / 100, served);
        Assert.InRange(floodBytes, -1024, 1024);
        AssertMemoryAsStated(table, madeBytes, everyForgedIsAccepted);
    }

    [Fact]
    public void LookupAndRefusal_Any_AllocateNothing()
    {
        var table = new SessionTable<Session>(new() { MaxSessions = 100, TimeProvider = new FakeTime() });
        UdpEndPoint known = Proven(1);
        UdpEndPoint unknown = SessionPeers.Of(1);
        UdpEndPoint[] limited = [.. Enumerable.Range(0, 20).Select(i => SessionPeers.Of(256 + i))];
        SessionPeers.Admit(table, in known, default);
        Exercise(table, known, unknown, limited, 1000);
        long before = GC.GetAllocatedBytesForCurrentThread();

        Exercise(table, known, unknown, limited, 100_000);

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
    }

    // The first refusal of a process makes the source of its event.
    private static void RefuseOnce(FakeTime time)
    {
        var full = new SessionTable<Session>(new() { MaxSessions = 1, TimeProvider = time });
        SessionPeers.Admit(full, Proven(0), default);
        Assert.NotEqual(SessionAdmission.Admitted, full.GetOrAdmit(SessionPeers.Of(1), out _));
    }

    private static void Exercise(
        SessionTable<Session> table, in UdpEndPoint known, in UdpEndPoint unknown, UdpEndPoint[] limited, int count)
    {
        for (int i = 0; i < count; i++)
        {
            if (table.TryGet(in unknown, out _)) throw new InvalidOperationException("A lookup stored a peer.");
            if (!table.TryGet(in known, out SessionRef<Session> session)) throw new InvalidOperationException();
            session.Value.Datagrams++;
            _ = table.GetOrAdmit(in limited[i % limited.Length], out _);
            _ = table.RemoveExpired();
            if (table.TryAddRef(in known, out SessionHandle handle)) table.Release(handle);
        }
    }

    private static void AssertMemoryAsStated(SessionTable<Session> table, long madeBytes, bool noPrefixes)
    {
        // As documented: 40 bytes and the session, the power of two above twice the cap times 8, and 1 MiB of prefixes.
        long entryBytes = EntryBytes + Unsafe.SizeOf<Session>();
        long stated = (Cap * entryBytes) + (2 * Cap * 8) + (noPrefixes ? 0 : 1 << 20);
        Assert.Equal(stated, table.ReservedBytes);
        Assert.InRange(madeBytes, stated, stated + 4096);
    }

    // What making the peers' addresses costs the test itself.
    private static long ProvenAllocation(int count)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < count; i++) _ = Proven(i);
        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private static UdpEndPoint Proven(int number) => SessionPeers.Of((long)number << 8, ipv6: true);

    private struct Session
    {
        public long Datagrams;
        public long Bytes;
    }
}
