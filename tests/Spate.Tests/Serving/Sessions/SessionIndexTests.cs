using Spate.Serving;
using Spate.Serving.Sessions;

namespace Spate.Tests.Serving.Sessions;

public sealed class SessionIndexTests
{
    private const int FloodCount = 100_000;

    // 16 entries have 32 cells, so hashes whose low five bits agree collide.
    [Theory]
    [InlineData(0u)]
    [InlineData(30u)]
    public void Remove_ClusterWithAndWithoutWrap_KeepsTheOthersReachable(uint home)
    {
        uint[] hashes = [home, home, home + 1, home + 32, home + 2, home + 1, home + 3, home + 64, home + 9];
        for (int removed = 0; removed < hashes.Length; removed++)
        {
            var index = new SessionIndex(16);
            for (int entry = 0; entry < hashes.Length; entry++) index.Add(hashes[entry], entry);

            index.Remove(hashes[removed], removed);

            for (int entry = 0; entry < hashes.Length; entry++)
                Assert.Equal(entry != removed, Finds(index, hashes[entry], entry));
        }
    }

    [Fact]
    public void Remove_RandomClusters_LeavesTheIndexAsIfNeverAdded()
    {
        Random random = RandomCase.Create();
        for (int round = 0; round < 300; round++)
        {
            int count = random.Next(2, 33);
            uint[] hashes = [.. Enumerable.Range(0, count).Select(_ => (uint)random.Next(24))];
            bool[] stays = [.. hashes.Select(_ => random.Next(2) == 0)];
            var index = new SessionIndex(32);
            var fresh = new SessionIndex(32);
            for (int entry = 0; entry < count; entry++) index.Add(hashes[entry], entry);
            int[] order = [.. Enumerable.Range(0, count)];
            random.Shuffle(order);
            foreach (int entry in order.Where(entry => !stays[entry])) index.Remove(hashes[entry], entry);
            for (int entry = 0; entry < count; entry++)
                if (stays[entry]) fresh.Add(hashes[entry], entry);

            // Linear probing has the same cells in use, and the same probes in sum, whatever the order of adding.
            Assert.Equal(ProbeSum(fresh, hashes, stays), ProbeSum(index, hashes, stays));
            for (int entry = 0; entry < count; entry++)
                Assert.Equal(stays[entry], Finds(index, hashes[entry], entry));
        }
    }

    // Row 15 of the reliability table: what would all fall into one cell under a hash without a key.
    [Theory]
    [InlineData("same low bits of address and port")]
    [InlineData("same sum of address and port")]
    [InlineData("same FNV-1a low bits")]
    public void Probes_PeersThatCollideWithoutAKey_AreAsShortAsOfRandomPeers(string attack)
    {
        Random random = RandomCase.Create();
        long[] chosen = attack switch
        {
            "same low bits of address and port" => Take(i => (i << 20) & 0xFFFF_FFFF_FFFF),
            "same sum of address and port" => Take(
                i => ((i % 60_000) << 32) | (0x7000_0000 - (i % 60_000) + ((i / 60_000) << 24))),
            _ => Colliding(),
        };
        HashSet<long> scattered = [];
        while (scattered.Count < FloodCount) scattered.Add(random.NextInt64(1L << 48));

        (double chosenMean, int chosenLongest) = Probes(chosen);
        (double randomMean, int randomLongest) = Probes([.. scattered]);

        // Load 100,000 of 262,144: linear probing needs 1.31 probes on average and tens at the longest.
        Assert.InRange(chosenMean / randomMean, 1 / 1.05, 1.05);
        Assert.InRange(chosenLongest, 1, 150);
        Assert.InRange(randomLongest, 1, 150);
    }

    private static long[] Take(Func<long, long> numberOf) =>
        [.. Enumerable.Range(0, FloodCount).Select(i => numberOf(i)).Distinct()];

    /// <summary>Peers whose unkeyed hash agrees in its low 10 bits, found by trying.</summary>
    private static long[] Colliding()
    {
        List<long> found = new(FloodCount);
        for (long number = 0; found.Count < FloodCount; number++)
        {
            uint hash = 2_166_136_261;
            for (int shift = 0; shift < 48; shift += 8) hash = (hash ^ (byte)(number >> shift)) * 16_777_619;
            if ((hash & 0x3FF) == 0x155) found.Add(number);
        }

        return [.. found];
    }

    private static (double Mean, int Longest) Probes(long[] numbers)
    {
        SessionTable<int> table = SessionPeers.Table<int>(FloodCount);
        foreach (long number in numbers) SessionPeers.Admit(table, SessionPeers.Of(number), 0);
        Assert.Equal(FloodCount, table.Count);
        int longest = 0;
        long sum = 0;
        foreach (long number in numbers)
        {
            UdpEndPoint peer = SessionPeers.Of(number);
            uint hash = SessionTable<int>.HashOf(in peer);
            int probes = table.Index.ProbeLength(hash, table.Find(hash, in peer));
            longest = Math.Max(longest, probes);
            sum += probes;
        }

        return ((double)sum / numbers.Length, longest);
    }

    private static bool Finds(SessionIndex index, uint hash, int wanted)
    {
        uint position = hash;
        while (true)
        {
            int entry = index.FindNext(hash, ref position);
            if (entry < 0 || entry == wanted) return entry == wanted;
        }
    }

    private static int ProbeSum(SessionIndex index, uint[] hashes, bool[] stays) => Enumerable.Range(0, hashes.Length)
        .Where(entry => stays[entry])
        .Sum(entry => index.ProbeLength(hashes[entry], entry));
}
