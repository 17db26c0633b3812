using Spate.HostTuning.Checks;
using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading.Cards;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Interrupts;

namespace Spate.TestHelpers.Hosts;

/// <summary>
/// A host with one interface, of which a test records what its card answers and says what its counters grew by.
/// </summary>
internal sealed class RecordedInterface : IDisposable
{
    private const uint RootParent = 0xffffffff;

    public RecordedInterface(string name = "eth0")
    {
        Name = name;
        Card = new RecordedCard(Host, name);
        Growth = new InterfaceCounters(name, 2);
    }

    public FakeHost Host { get; } = new();

    public string Name { get; }

    public RecordedCard Card { get; }

    public SoftnetCounters Softnet { get; set; }

    /// <summary>What the interface counted meanwhile.</summary>
    public InterfaceCounters Growth { get; set; }

    /// <summary>The discipline at the root, with what it counted meanwhile.</summary>
    public QueueCounters? Root { get; set; }

    /// <summary>What the driver counted meanwhile.</summary>
    public Dictionary<string, ulong> DriverGrowth { get; } = new(StringComparer.Ordinal);

    /// <summary>Records the discipline at the root; one that the kernel made has the handle 0.</summary>
    public RecordedInterface WithRoot(string kind, uint handle = 0)
    {
        Host.With("netlink/links", NetlinkBytes.Link(2, Name));
        Host.With("netlink/queues", NetlinkBytes.Queue(2, handle << 16, RootParent, kind));
        Root = new QueueCounters(Name, kind, $"{handle:x}:", "root") { Drops = 0 };
        return this;
    }

    /// <summary>Records CPUs, all on one node.</summary>
    public RecordedInterface WithCpus(int count)
    {
        Host.With("sys/devices/system/cpu/online", $"0-{count - 1}\n");
        return this;
    }

    /// <summary>Records the driver of the card.</summary>
    public RecordedInterface WithDriver(string driver)
    {
        Host.WithLink($"sys/class/net/{Name}/device/driver", $"../../../bus/pci/drivers/{driver}");
        return this;
    }

    /// <summary>What a check finds; it finds at most one thing here.</summary>
    public CheckFinding? Examine(string id, HostProfile profile = HostProfile.TenGigabit) =>
        Read(profile).Examine(id).SingleOrDefault();

    public HostReadings Read(HostProfile profile)
    {
        using var replies = new CardReplies(Host.RootPath);
        var one = new HostInterface(
            new InterfaceFacts(Name, IsUp: true, IsLoopback: false, 1500, []),
            LinkFacts.Read(Name, Host.RootPath),
            InterfaceInterrupts.Read(Name, Host.RootPath),
            CardSettings.Read(replies, Name))
        {
            CardGrowth = DriverGrowth,
        };
        var growth = new NetworkCounters
        {
            Softnet = Softnet,
            Interfaces = [Growth],
            Queues = Root is null ? [] : [Root],
        };
        return RecordedReadings.Of(Host, profile) with { Interfaces = [one], Growth = growth };
    }

    public void Dispose() => Host.Dispose();
}
