using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Interrupts;

/// <summary>
/// Where an interface's interrupts are handled. For bonds, bridges and VLANs these are the interrupts of the devices
/// below.
/// </summary>
internal sealed record InterfaceInterrupts
{
    public required string Name { get; init; }

    /// <summary>
    /// The interfaces whose devices take the packets: itself for a card, those below for a bond, bridge or VLAN; empty
    /// without a device (loopback, veth), and where the system does not tell.
    /// </summary>
    public IReadOnlyList<string> DeviceNames { get; init; } = [];

    /// <summary>The NUMA node of its device; null without a device, where unknown, or on several nodes.</summary>
    public int? Node { get; init; }

    /// <summary>The interrupts of its queues; empty where there are none or they cannot be seen.</summary>
    public IReadOnlyList<InterfaceInterrupt> Interrupts { get; init; } = [];

    /// <summary>
    /// The CPUs to which receive packet steering (RPS) passes arrivals for the rest of their way (scaling.rst);
    /// empty when it is off.
    /// </summary>
    public IReadOnlyList<int> SteeredCpuNumbers { get; init; } = [];

    /// <summary>The CPUs that handle its interrupts, in rising order.</summary>
    public IReadOnlyList<int> CpuNumbers
    {
        get
        {
            var numbers = new List<int>();
            foreach (InterfaceInterrupt interrupt in Interrupts)
            {
                numbers.AddRange(interrupt.CpuNumbers);
            }

            return CpuList.Distinct(numbers);
        }
    }

    /// <summary>
    /// Reads the interrupts of one interface from <c>/sys/class/net</c> and <c>/proc/irq</c>. <c>name</c>: the
    /// interface; an unknown name gives empty facts.
    /// </summary>
    /// <returns>What is known; nothing is thrown for files that are missing, damaged or refused.</returns>
    public static InterfaceInterrupts Read(string name, string rootPath = "/") => ReadAll([name], rootPath)[0];

    /// <summary>Reads the interrupts of several interfaces, each file of the host at most once.</summary>
    public static IReadOnlyList<InterfaceInterrupts> ReadAll(IReadOnlyList<string> names, string rootPath = "/")
    {
        var reader = new InterruptReader(new HostFiles(rootPath));
        var all = new List<InterfaceInterrupts>(names.Count);
        foreach (string name in names)
        {
            all.Add(reader.Read(name));
        }

        return all;
    }

    public override string ToString() => RecordText.Of(
        nameof(InterfaceInterrupts),
        PrintMembers,
        (nameof(DeviceNames), DeviceNames),
        (nameof(Interrupts), Interrupts),
        (nameof(SteeredCpuNumbers), SteeredCpuNumbers),
        (nameof(CpuNumbers), CpuNumbers));
}
