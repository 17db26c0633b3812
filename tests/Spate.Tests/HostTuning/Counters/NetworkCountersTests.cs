using System.Reflection;
using Spate.HostTuning.Counters;

namespace Spate.Tests.HostTuning.Counters;

public sealed class NetworkCountersTests
{
    [Fact]
    public void Subtract_EveryCounterOfEveryRecord_IsSubtracted()
    {
        AssertSubtracts<UdpProtocolCounters>(static (later, earlier) => later - earlier);
        AssertSubtracts<IpCounters>(static (later, earlier) => later - earlier);
        AssertSubtracts<SoftnetCounters>(static (later, earlier) => later - earlier);
        AssertSubtracts<ConntrackCounters>(static (later, earlier) => later - earlier, "Count", "Max");
        AssertSubtracts<InterfaceCounters>(static (later, earlier) => later - earlier);
        AssertSubtracts<QueueCounters>(static (later, earlier) => later - earlier, "Qlen", "BacklogBytes");
    }

    [Fact]
    public void Subtract_InterfacesAndQueues_PairsThoseOfBoth()
    {
        var earlier = new NetworkCounters
        {
            NamespaceId = "n",
            Interfaces = [Link("lo", 1, 5), Link("gone", 2, 5), Link("again", 3, 5), Link("eth0", 4, 7)],
            Queues = [Queue("eth0", "8001:", 7), Queue("eth0", "8002:", 100), Queue("gone", "1:", 3)],
        };
        var later = new NetworkCounters
        {
            NamespaceId = "n",
            Interfaces = [Link("eth0", 4, 10), Link("new", 6, 9), Link("again", 5, 9), Link("lo", 1, 4)],
            Queues = [Queue("eth0", "8002:", 90), Queue("eth0", "8001:", 17), Queue("eth0", "8003:", 1)],
        };

        NetworkCounters difference = later - earlier;

        Assert.Equal("n", difference.NamespaceId);
        Assert.Equal([Link("eth0", 4, 3), Link("lo", 1, null)], difference.Interfaces);
        Assert.Equal([Queue("eth0", "8002:", null), Queue("eth0", "8001:", 10)], difference.Queues);
    }

    [Fact]
    public void Subtract_Cpus_PairsThoseOfBoth()
    {
        NetworkCounters earlier = Cpus((0, 5), (1, 7), (2, 9));
        NetworkCounters later = Cpus((1, 10), (2, 8), (3, 100));

        NetworkCounters difference = later - earlier;

        Assert.Equal([(1, 3L), (2, null)], difference.SoftnetCpus.Select(static one => (one.Key, one.Value.Dropped)));

        static NetworkCounters Cpus(params (int Cpu, long Dropped)[] cpus) => new()
        {
            SoftnetCpus = cpus.ToDictionary(
                static one => one.Cpu, static one => new SoftnetCounters { Dropped = one.Dropped }),
        };
    }

    [Fact]
    public void Subtract_AllLayers_AreSubtracted()
    {
        NetworkCounters earlier = Layers(1, 2, 3, 4, 5, 6);
        NetworkCounters later = Layers(11, 22, 33, 44, 55, 66);

        NetworkCounters difference = later - earlier;

        NetworkCounters expected = Layers(10, 20, 30, 40, 50, 60);
        Assert.Equal(
            expected with
            {
                Interfaces = difference.Interfaces,
                Queues = difference.Queues,
                SoftnetCpus = difference.SoftnetCpus,
            },
            difference);
        Assert.Null((later - (earlier with { Conntrack = null })).Conntrack);
    }

    [Fact]
    public void Subtract_TwoNamespaces_IsRefused()
    {
        var refused = Assert.Throws<ArgumentException>(
            static () => new NetworkCounters { NamespaceId = "a" } - new NetworkCounters { NamespaceId = "b" });

        Assert.Contains("two namespaces, b and a", refused.Message, StringComparison.Ordinal);
    }

    // Every property that holds a number gets another value, so that none is forgotten or mixed up.
    private static void AssertSubtracts<T>(Func<T, T, T> subtract, params string[] levels)
    {
        PropertyInfo[] numbers =
            [.. typeof(T).GetProperties().Where(one => one.PropertyType == typeof(long?) && one.CanWrite)];
        Assert.NotEmpty(numbers);
        object earlier = Create<T>();
        object later = Create<T>();
        for (int i = 0; i < numbers.Length; i++)
        {
            numbers[i].SetValue(earlier, 100L * i);
            numbers[i].SetValue(later, (101L * i) + 1);
        }

        T difference = subtract((T)later, (T)earlier);

        for (int i = 0; i < numbers.Length; i++)
        {
            bool isLevel = levels.Contains(numbers[i].Name, StringComparer.Ordinal);
            Assert.Equal((numbers[i].Name, isLevel ? (101L * i) + 1 : i + 1),
                (numbers[i].Name, (long?)numbers[i].GetValue(difference)));
        }
    }

    private static object Create<T>() => typeof(T) == typeof(InterfaceCounters) ? new InterfaceCounters("lo", 1)
        : typeof(T) == typeof(QueueCounters) ? new QueueCounters("lo", "tbf", "1:", "root")
        : Activator.CreateInstance<T>()!;

    private static InterfaceCounters Link(string name, int index, long? count) => new(name, index)
    {
        RxPackets = count,
    };

    private static QueueCounters Queue(string owner, string handle, long? drops) => new(owner, "tbf", handle, "root")
    {
        Drops = drops,
    };

    private static NetworkCounters Layers(long udp4, long udp6, long ip4, long ip6, long softnet, long conntrack) =>
        new()
        {
            Udp4 = new UdpProtocolCounters { InErrors = udp4 },
            Udp6 = new UdpProtocolCounters { InErrors = udp6 },
            Ip4 = new IpCounters { InDiscards = ip4 },
            Ip6 = new IpCounters { InDiscards = ip6 },
            Softnet = new SoftnetCounters { Dropped = softnet },
            Conntrack = new ConntrackCounters { Drops = conntrack },
        };
}
