using System.Buffers.Binary;
using System.Globalization;
using System.Net;
using Spate.Interop.Linux;
using Spate.Serving.Steering;

namespace Spate.Tests.Serving.Steering;

/// <summary>Which shard the programs name: over packets made here, and as the kernel runs them.</summary>
public sealed class SteeringProgramTests
{
    private const int PeerCount = 10_000;

    // Of 6 degrees of freedom, which 7 shards have, one in 10^8 is above this by chance.
    private const double MaxChiSquare = 48;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ByFlow_RandomPeers_SpreadEvenlyAndStay(bool v6)
    {
        Random random = NewRandom();
        for (int shardCount = 2; shardCount <= 7; shardCount++)
        {
            sock_filter[] program = SteeringProgram.ByFlow(shardCount, (uint)random.NextInt64() | 1);
            AssertEven(program, shardCount, Enumerable.Range(0, PeerCount).Select(_ => RandomPeer(random, v6)));
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ByFlow_PortsAndAddressesWithTheSameLowBits_SpreadEvenly(bool v6)
    {
        Random random = NewRandom();
        for (int shardCount = 2; shardCount <= 7; shardCount++)
        {
            sock_filter[] program = SteeringProgram.ByFlow(shardCount, (uint)random.NextInt64() | 1);
            AssertEven(program, shardCount, from high in Enumerable.Range(0, 400)
                                            from port in Enumerable.Range(0, 250)
                                            select Peer(v6, high << 8, (port * 256) + 7));
        }
    }

    [Fact]
    public void ByFlow_AnotherKey_SpreadsTheShardOfOneKeyOverAll()
    {
        Random random = NewRandom();
        sock_filter[] known = SteeringProgram.ByFlow(4, 12_345 | 1);
        sock_filter[] program = SteeringProgram.ByFlow(4, (uint)random.NextInt64() | 1);
        AssertEven(program, 4, Enumerable.Range(0, 4 * PeerCount).Select(_ => RandomPeer(random, v6: false))
            .Where(peer => BpfInterpreter.Run(known, Packet(peer)) == 0));
    }

    [Fact]
    public void ByFlow_AddressOptionsAndContent_ChangeNothing()
    {
        Random random = NewRandom();
        sock_filter[] program = SteeringProgram.ByFlow(64, (uint)random.NextInt64() | 1);
        for (int i = 0; i < 1_000; i++)
        {
            UdpEndPoint peer = RandomPeer(random, v6: false);
            byte[] plain = Packet(peer);
            byte[] withOptions = Packet(peer, optionBytes: 4 * random.Next(1, 11));
            random.NextBytes(withOptions.AsSpan(1, 11));
            Assert.Equal(BpfInterpreter.Run(program, plain), BpfInterpreter.Run(program, withOptions));
        }
    }

    [Fact]
    public void ByCpu_TiedOthersAndMoreCpusThanShards_FirstThatHasTheCpu()
    {
        int[] cpus = [4, -1, 9, 4];
        sock_filter[] program = SteeringProgram.ByCpu(cpus.Length, shard => cpus[shard]);
        Assert.Equal(0u, BpfInterpreter.Run(program, [], cpuIndex: 4));
        Assert.Equal(2u, BpfInterpreter.Run(program, [], cpuIndex: 9));
        for (int cpu = 10; cpu < 20; cpu++)
            Assert.Equal((uint)cpu % 4, BpfInterpreter.Run(program, [], cpu));
    }

    [Theory]
    [InlineData("127.0.0.1", "127.0.0.1")]
    [InlineData("::1", "::1")]
    [InlineData("::", "127.0.0.1")]
    public void ByFlow_InTheKernel_NamesTheSameShardAsHere(string bound, string destination)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The program is Linux's.");
        const int shardCount = 5;
        Random random = NewRandom();
        sock_filter[] program = SteeringProgram.ByFlow(shardCount, (uint)random.NextInt64() | 1);
        List<UdpSocket> shards = [];
        UdpSocketOptions options = new() { ReusePort = true, CoalescedReceive = false };
        try
        {
            for (int i = 0; i < shardCount; i++)
            {
                int port = i == 0 ? 0 : shards[0].LocalEndPoint.Port;
                shards.Add(UdpSocket.Bind(new UdpEndPoint(IPAddress.Parse(bound), port), options));
            }

            shards[0].SteerGroup(program);
            var to = new UdpEndPoint(IPAddress.Parse(destination), shards[0].LocalEndPoint.Port);
            for (int i = 0; i < 300; i++)
            {
                using UdpSocket client = UdpSocket.Connect(to);
                Assert.Equal(1, client.Send([1]).Sent);
                uint expected = BpfInterpreter.Run(program, Packet(client.LocalEndPoint));
                Assert.Equal(
                    ReceiveStatus.Received,
                    shards[(int)expected].ReceiveFrom(new byte[8], ServerCase.Patience, out ReceivedDatagram datagram));
                Assert.Equal(client.LocalEndPoint, datagram.Peer);
            }
        }
        finally
        {
            shards.ForEach(shard => shard.Dispose());
        }
    }

    [Fact]
    public void ByChance_EveryNumber_NamesAShardAndAllEvenly()
    {
        Random random = NewRandom();
        for (int shardCount = 1; shardCount <= 7; shardCount++)
        {
            sock_filter[] program = SteeringProgram.ByChance(shardCount);
            Assert.Equal(uint.MaxValue % (uint)shardCount, BpfInterpreter.Run(program, [], random: uint.MaxValue));
            int[] counts = new int[shardCount];
            for (int i = 0; i < PeerCount; i++)
            {
                counts[BpfInterpreter.Run(program, [], random: (uint)random.NextInt64())]++;
            }

            double expected = PeerCount / (double)shardCount;
            double chiSquare = counts.Sum(count => (count - expected) * (count - expected) / expected);
            Assert.True(chiSquare < MaxChiSquare, $"{chiSquare:F1} for {string.Join(' ', counts)}");
        }
    }

    [Fact]
    public void ByChance_InTheKernel_OnePeerReachesAllShards()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "The program is Linux's.");
        const int shardCount = 3;
        const int DatagramCount = 600;
        List<UdpSocket> shards = [];
        UdpSocketOptions options = new() { ReusePort = true, CoalescedReceive = false };
        try
        {
            for (int i = 0; i < shardCount; i++)
            {
                int port = i == 0 ? 0 : shards[0].LocalEndPoint.Port;
                shards.Add(UdpSocket.Bind(UdpEndPoint.Loopback(port), options));
            }

            shards[0].SteerGroup(SteeringProgram.ByChance(shardCount));
            using UdpSocket client = UdpSocket.Connect(shards[0].LocalEndPoint);
            for (int i = 0; i < DatagramCount; i++) Assert.Equal(1, client.Send([1]).Sent);

            // Over loopback a datagram is queued when its send returns.
            int[] counts = [.. shards.Select(Count)];
            Assert.Equal(DatagramCount, counts.Sum());
            Assert.All(counts, count => Assert.InRange(count, 100, 300));
        }
        finally
        {
            shards.ForEach(shard => shard.Dispose());
        }

        static int Count(UdpSocket shard)
        {
            int count = 0;
            while (shard.TryReceiveFrom(new byte[8], out _) == ReceiveStatus.Received) count++;
            return count;
        }
    }

    private static void AssertEven(sock_filter[] program, int shardCount, IEnumerable<UdpEndPoint> peers)
    {
        int[] counts = new int[shardCount];
        foreach (UdpEndPoint peer in peers) counts[BpfInterpreter.Run(program, Packet(peer))]++;
        double expected = counts.Sum() / (double)shardCount;
        double chiSquare = counts.Sum(count => (count - expected) * (count - expected) / expected);
        Assert.True(chiSquare < MaxChiSquare, $"{chiSquare:F1} for {string.Join(' ', counts)}");
    }

    private static UdpEndPoint RandomPeer(Random random, bool v6)
    {
        byte[] address = new byte[v6 ? 16 : 4];
        random.NextBytes(address);
        return new UdpEndPoint(new IPAddress(address), random.Next(1, 65_536));
    }

    private static UdpEndPoint Peer(bool v6, int low, int port)
    {
        byte[] address = new byte[v6 ? 16 : 4];
        address[0] = 10;
        BinaryPrimitives.WriteUInt16BigEndian(address.AsSpan(address.Length - 3), (ushort)(low >> 8));
        return new UdpEndPoint(new IPAddress(address), port);
    }

    /// <summary>IP and UDP header of what a peer sends.</summary>
    private static byte[] Packet(UdpEndPoint peer, int optionBytes = 0)
    {
        byte[] address = peer.ToIPEndPoint().Address.GetAddressBytes();
        bool v6 = address.Length == 16;
        int headerBytes = v6 ? 40 : 20 + optionBytes;
        byte[] packet = new byte[headerBytes + 8];
        packet[0] = v6 ? (byte)0x60 : (byte)(0x40 | (headerBytes / 4));
        address.CopyTo(packet, v6 ? 8 : 12);
        BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(headerBytes), (ushort)peer.Port);
        return packet;
    }

    private static Random NewRandom()
    {
        string? given = Environment.GetEnvironmentVariable("SPATE_SEED");
        int seed = given is null ? Random.Shared.Next() : int.Parse(given, CultureInfo.InvariantCulture);
        TestContext.Current.TestOutputHelper?.WriteLine($"SPATE_SEED={seed}");
        return new Random(seed);
    }
}
