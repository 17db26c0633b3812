using System.Runtime.InteropServices;
using Spate.Serving;

namespace Spate.Tests.Serving.Sessions;

/// <summary>The table against a dictionary: random operations, the same answers.</summary>
public sealed class SessionTableModelTests
{
    [Theory]
    [InlineData(1, 3, 2000)]
    [InlineData(8, 12, 20_000)]
    [InlineData(100, 120, 100_000)]
    [InlineData(5000, 5500, 300_000)]
    public void Operations_SmallTables_MatchADictionary(int maxSessions, int peerCount, int operationCount) =>
        Run(maxSessions, peerCount, operationCount, removePercent: 30);

    [Fact]
    public void Operations_MillionSessions_MatchADictionary()
    {
        TestWidth.SkipUnlessLong("a hundred thousand sessions show the same, but for the largest table");
        Run(1_000_000, 1_100_000, 4_000_000, removePercent: 8);
    }

    [Fact]
    public void Operations_ManySessions_MatchADictionary() => Run(100_000, 110_000, 400_000, removePercent: 8);

    private static void Run(int maxSessions, int peerCount, int operationCount, int removePercent)
    {
        Random random = RandomCase.Create();
        long endedSum = 0;
        SessionTable<long> table = SessionPeers.Table(
            maxSessions, ended: (in UdpEndPoint _, ref long session, SessionEndReason _) => endedSum += session);
        Dictionary<UdpEndPoint, long> model = new(maxSessions);
        long modelEndedSum = 0;
        for (int operation = 1; operation <= operationCount; operation++)
        {
            int number = random.Next(peerCount);
            UdpEndPoint peer = SessionPeers.Of(number, ipv6: number % 3 == 0);
            int percent = random.Next(100);
            if (percent < removePercent)
            {
                bool removed = model.Remove(peer, out long session);
                modelEndedSum += session;
                Check(table.Remove(in peer) == removed);
            }
            else if (percent < 60)
            {
                Check(table.GetOrAdmit(in peer, out SessionRef<long> session) == Expected(model, peer, maxSessions));
                if (model.Count < maxSessions && model.TryAdd(peer, operation)) session.Value = operation;
            }
            else
            {
                ref long expected = ref CollectionsMarshal.GetValueRefOrNullRef(model, peer);
                bool known = !System.Runtime.CompilerServices.Unsafe.IsNullRef(ref expected);
                Check(table.TryGet(in peer, out SessionRef<long> session) == known);
                if (!known) continue;
                Check(session.Value == expected && session.Peer == peer);
                session.Value = ++expected;
            }

            Check(table.Count == model.Count);
        }

        Check(endedSum == modelEndedSum);
        AssertSame(table, model);
    }

    private static SessionAdmission Expected(
        Dictionary<UdpEndPoint, long> model, in UdpEndPoint peer, int maxSessions) =>
        model.ContainsKey(peer) ? SessionAdmission.Known
        : model.Count == maxSessions ? SessionAdmission.Full
        : SessionAdmission.Admitted;

    private static void AssertSame(SessionTable<long> table, Dictionary<UdpEndPoint, long> model)
    {
        int count = 0;
        foreach (SessionRef<long> session in table)
        {
            count++;
            Check(model.TryGetValue(session.Peer, out long expected) && expected == session.Value);
        }

        Assert.Equal(model.Count, count);
        foreach (UdpEndPoint peer in model.Keys) Check(SessionPeers.Has(table, in peer));
    }

    // Millions of the test framework's assertions would take longer than the operations.
    private static void Check(bool condition)
    {
        if (!condition) throw new InvalidOperationException("The table does not answer as the dictionary does.");
    }
}
