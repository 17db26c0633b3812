using Spate.HostTuning.Reading.Interfaces;

namespace Spate.HostTuning.Checks.Cpus;

/// <summary>Whether the card's accesses to memory are translated.</summary>
internal sealed class IommuCheck : HostCheck
{
    private const string Folder = "sys/class/iommu";

    public override string Id => "iommu";

    public override string Subject => "translation of the card's memory accesses";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        if (!host.Files.DirectoryExists(Folder)) return [Unknown($"/{Folder} is not shown here.")];

        if (host.Files.ListNames(Folder, maxCount: 1).Count == 0)
        {
            return [Ok("none", "No unit translates the card's memory accesses.")];
        }

        return host.Interfaces.Where(static one => one.Interrupts.DeviceNames.Count > 0)
            .Select(one => OfInterface(host, one) with { Interface = one.Name });
    }

    private CheckFinding OfInterface(HostReadings host, HostInterface one)
    {
        // What the kernel uses for this card (iommu/dma-iommu); the command line is only what was asked for.
        string? type = SysfsDevice.InterfacePath(host.Files, one.Interrupts.DeviceNames[0]) is { } path
            && SysfsDevice.DevicePath(host.Files, path) is { } device
                ? ReadType(host, device) ?? ReadType(host, SysfsDevice.Parent(device))
                : null;
        return type switch
        {
            "identity" => Ok("passed through", "The card's memory accesses are not translated."),
            "DMA" or "DMA-FQ" when host.Needs.Profile
                is HostProfile.FortyGigabit or HostProfile.HundredGigabit => Advice(
                "translated",
                "passed through",
                "Each buffer of the card is entered and taken out again, which costs up to 40 % of the rate; it also "
                    + "keeps a faulty card from other memory (ESnet, 100G tuning).") with
                {
                    Command = "grubby --update-kernel=ALL --args=iommu=pt    # or GRUB_CMDLINE_LINUX; then start anew",
                    Undo = "grubby --update-kernel=ALL --remove-args=iommu=pt",
                },
            "DMA" or "DMA-FQ" => Ok("translated", "The cost matters from 40 Gbit/s on (ESnet, 100G tuning)."),
            _ => Unknown("The system does not tell how this card's accesses are translated (iommu_group/type)."),
        };
    }

    private static string? ReadType(HostReadings host, string device) =>
        host.Files.ReadLine(device + "/iommu_group/type");
}
