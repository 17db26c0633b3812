using System.Globalization;
using FsCheck;
using FsCheck.Fluent;
using Microsoft.FSharp.Core;
using Spate.Segmentation;

namespace Spate.Tests.Segmentation;

public sealed class SendPlanPropertyTests
{
    private static readonly int[] SizesBytes = [0, 1, 50, 100, 100, 100, 1380, 65_507];

    private readonly SendPlan _defaultPlan = new(GsoLimits.Default, PlanPeers.Capacity);
    private readonly int _seed = ReadSeed();

    [Fact]
    public void Plan_RandomBatches_FollowTheReference()
    {
        int caseCount = TestWidth.Of(20_000, full: 1_000_000);
        for (int i = 0; i < caseCount; i++)
        {
            var random = new Random(unchecked(_seed + i));
            try
            {
                UdpEndPoint[] peers = (i % 3) switch
                {
                    0 => PlanPeers.Apart,
                    1 => PlanPeers.Colliding,
                    _ => PlanPeers.Any,
                };
                PlanCase made = PlanCase.Random(random, peers);
                int firstCount = random.Next(made.Datagrams.Count + 1);
                UdpEndPoint remote = random.Next(2) == 0 ? default : peers[0];
                if (peers == PlanPeers.Apart) CheckAgainstReference(made, firstCount, remote);
                else Check(made, firstCount, remote);
            }
            catch (Exception error)
            {
                throw new InvalidOperationException($"Seed {_seed}, case {i}: {error.Message}", error);
            }
        }
    }

    [Fact]
    public void Plan_AnyDatagrams_FollowTheReference()
    {
        Property property = Prop.ForAll<int[]>(codes =>
        {
            PlanCase made = Decode(codes, PlanPeers.Apart);
            CheckAgainstReference(made, made.Datagrams.Count, remote: default);
            made = Decode(codes, PlanPeers.Colliding);
            Check(made, made.Datagrams.Count, remote: default);
        });

        Run(property);
    }

    [Fact]
    public void Bounds_JoinedDatagrams_CutsThemApart()
    {
        Property property = Prop.ForAll<PositiveInt, NonNegativeInt, PositiveInt>((segment, more, last) =>
        {
            int segmentBytes = segment.Get;
            int lastBytes = ((last.Get - 1) % segmentBytes) + 1;
            byte[][] datagrams = [.. Enumerable.Range(0, more.Get + 1).Select(i => NewDatagram(i, i == more.Get))];
            byte[] joined = [.. datagrams.SelectMany(datagram => datagram)];

            byte[][] cut = new byte[GroSplitter.Count(joined.Length, segmentBytes)][];
            for (int i = 0; i < cut.Length; i++)
            {
                GroSplitter.Bounds(joined.Length, segmentBytes, i, out int offsetBytes, out int lengthBytes);
                cut[i] = joined[offsetBytes..(offsetBytes + lengthBytes)];
            }

            Assert.Equal(datagrams, cut);

            byte[] NewDatagram(int index, bool isLast)
            {
                byte[] datagram = new byte[isLast ? lastBytes : segmentBytes];
                Array.Fill(datagram, (byte)index);
                return datagram;
            }
        });

        Run(property);
    }

    private static PlanCase Decode(int[] codes, UdpEndPoint[] peers)
    {
        var made = new PlanCase(peers);
        foreach (int code in codes)
        {
            uint bits = (uint)code * 2_654_435_761;
            made.Add(
                peerIndex: (int)((bits >> 8) % 12),
                controlIndex: (bits >> 12) % 8 == 0 ? 0 : SendRun.NoControl,
                bufferIndex: (bits >> 15) % 8 == 0 ? 1 : 0,
                gapBytes: (bits >> 18) % 8 == 0 ? 1 : 0,
                lengthBytes: SizesBytes[(bits >> 21) % (uint)SizesBytes.Length],
                trimmedBytes: (bits >> 24) % 2 == 0 ? 70 : 0);
        }

        return made;
    }

    /// <summary>
    /// Holds for all peers: nothing lost, nothing doubled, each peer's order as with plain sends. The default peer may
    /// be one of the others.
    /// </summary>
    private List<List<PlannedDatagram>> Check(PlanCase made, int firstCount, UdpEndPoint remote)
    {
        SendPlan plan = made.Limits == GsoLimits.Default ? _defaultPlan : new(made.Limits, PlanPeers.Capacity);
        plan.Clear();
        made.AddTo(plan, 0, firstCount);
        Begin();
        made.AddTo(plan, firstCount, made.Datagrams.Count);
        PlannedMessages.Require(plan.AddedCount == made.Datagrams.Count, "AddedCount");
        Begin();
        PlannedMessages.Require(plan.Count == made.Datagrams.Count, "Count");
        List<List<PlannedDatagram>> messages = PlannedMessages.Flatten(plan, made.Limits);

        // A stable sort by peer keeps the order in which each peer's datagrams are sent.
        PlannedMessages.Require(
            messages.SelectMany(message => message).OrderBy(datagram => datagram.Peer.Port)
                .SequenceEqual(
                    made.Datagrams.Select(datagram => Named(datagram, remote)).OrderBy(datagram => datagram.Peer.Port)),
            "each peer gets its datagrams in order, once");
        return messages;

        void Begin()
        {
            if (!remote.IsDefault) plan.NameDefaultPeer(remote);
            plan.Begin();
        }
    }

    private static PlannedDatagram Named(PlannedDatagram datagram, UdpEndPoint remote) =>
        datagram.Peer.IsDefault ? datagram with { Peer = remote } : datagram;

    /// <summary>Where every peer finds its place the plan is the reference's, with as few GSO messages.</summary>
    private void CheckAgainstReference(PlanCase made, int firstCount, UdpEndPoint remote)
    {
        List<List<PlannedDatagram>> messages = Check(made, firstCount, remote);
        var expected = new List<List<PlannedDatagram>>();
        ReferencePlanner.Plan(made.Datagrams.Take(firstCount), made.Limits, expected);
        ReferencePlanner.Plan(made.Datagrams.Skip(firstCount), made.Limits, expected);
        PlannedMessages.Require(messages.Count == expected.Count, "as many GSO messages as the reference");
        for (int i = 0; i < expected.Count; i++)
        {
            PlannedMessages.Require(
                messages[i].SequenceEqual(expected[i].Select(datagram => Named(datagram, remote))),
                "the reference's GSO messages");
        }
    }

    private void Run(Property property) => FsCheck.Check.One(
        Config.QuickThrowOnFailure
            .WithMaxTest(2_000)
            .WithEndSize(200)
            .WithQuietOnSuccess(true)
            .WithReplay(new Replay(new Rnd((ulong)_seed, 1), FSharpOption<int>.None)),
        property);

    private static int ReadSeed()
    {
        string? given = Environment.GetEnvironmentVariable("SPATE_SEED");
        int seed = given is null ? Random.Shared.Next() : int.Parse(given, CultureInfo.InvariantCulture);
        TestContext.Current.TestOutputHelper?.WriteLine($"SPATE_SEED={seed}");
        return seed;
    }
}
