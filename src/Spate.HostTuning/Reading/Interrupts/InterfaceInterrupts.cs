using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Interrupts;

/// <summary>Where interrupts are handled; for bonds, bridges and VLANs those of the devices below.</summary>
internal sealed record InterfaceInterrupts
{
    public required string Name { get; init; }

    /// <summary>Itself for a card, those below for a bond, bridge or VLAN; empty for none.</summary>
    public IReadOnlyList<string> DeviceNames { get; init; } = [];

    /// <summary>Null without a device, where unknown, or on several nodes.</summary>
    public int? Node { get; init; }

    public IReadOnlyList<InterfaceInterrupt> Interrupts { get; init; } = [];

    /// <summary>Where receive packet steering (RPS) passes arrivals (scaling.rst); empty when it is off.</summary>
    public IReadOnlyList<int> SteeredCpuNumbers { get; init; } = [];

    /// <summary>In rising order.</summary>
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

    /// <summary>Nothing is thrown for files that are missing, damaged or refused: these give empty facts.</summary>
    public static InterfaceInterrupts Read(string name, string rootPath = "/") => ReadAll([name], rootPath)[0];

    /// <summary>Each file of the host is read at most once.</summary>
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
