using System.Globalization;
using Spate.HostTuning.Reading.Interfaces;

namespace Spate.HostTuning.Checks.Cpus;

/// <summary>The speed and width of a card's link to the processor.</summary>
internal sealed class PcieLinkCheck : HostCheck
{
    private const double BitsPerGigabit = 1e9;

    // Heads and acknowledgements of packets of 256 bytes take a good tenth of a link.
    private const double UsableShare = 0.85;

    // From 8 GT/s on 128 of 130 bits are data, below 8 of 10 (PCI Express Base Specification).
    private const double FastGigatransfers = 8;

    public override string Id => "pcie-link";

    public override string Subject => "link of the card to the processor";

    public override IEnumerable<CheckFinding> Examine(HostReadings host) => host.Interfaces
        .Where(static one => one.Interrupts.DeviceNames.Count > 0)
        .Select(one => OfInterface(host, one) with { Interface = one.Name });

    private CheckFinding OfInterface(HostReadings host, HostInterface one)
    {
        if (SysfsDevice.InterfacePath(host.Files, one.Interrupts.DeviceNames[0]) is not { } path
            || SysfsDevice.DevicePath(host.Files, path) is not { } device
            || (Read(host, device) ?? Read(host, SysfsDevice.Parent(device))) is not { } link)
        {
            return Unknown("Its device shows no PCI Express link: it is virtual, or built in.");
        }

        string found = Describe(link.Speed, link.Width);
        bool isFull = link.Speed >= link.MaxSpeed && link.Width >= link.MaxWidth;
        double bits = Bits(link.Speed, link.Width);
        if (bits < one.Link.SpeedBitsPerSecond)
        {
            return BelowNeed(
                found,
                isFull ? "a slot with more lanes, or a card for more" : Describe(link.MaxSpeed, link.MaxWidth),
                $"The link carries some {CheckText.Number(bits / BitsPerGigabit)} Gbit/s, less than the network: look "
                    + "at the slot, its other cards and the firmware's settings (sysfs-bus-pci, current_link_speed).");
        }

        return isFull || one.Link.SpeedBitsPerSecond is not null
            ? Ok(found, $"The link carries some {CheckText.Number(bits / BitsPerGigabit)} Gbit/s.")
            : Advice(
                found,
                Describe(link.MaxSpeed, link.MaxWidth),
                "The card and its slot could do more: look at the slot, its other cards and the firmware's settings "
                    + "(sysfs-bus-pci, current_link_speed).");
    }

    private static PcieLink? Read(HostReadings host, string device)
    {
        PcieLink link = new(
            ReadSpeed(host.Files.ReadLine(device + "/current_link_speed")),
            ReadWidth(host.Files.ReadNumber(device + "/current_link_width")),
            ReadSpeed(host.Files.ReadLine(device + "/max_link_speed")),
            ReadWidth(host.Files.ReadNumber(device + "/max_link_width")));
        return link is { Speed: > 0, Width: > 0, MaxSpeed: > 0, MaxWidth: > 0 } ? link : null;
    }

    // "8.0 GT/s PCIe", and "Unknown" where there is none (pci_speed_string of drivers/pci/probe.c).
    private static double ReadSpeed(string? text) =>
        double.TryParse(
            (text ?? "").Split(' ')[0],
            NumberStyles.AllowDecimalPoint,
            CultureInfo.InvariantCulture,
            out double value)
            && value is > 0 and < 1000 ? value : 0;

    // 255 is "unknown" (PCIE_LNK_WIDTH_UNKNOWN of linux/pci.h).
    private static int ReadWidth(long? width) => width is > 0 and <= 32 ? (int)width : 0;

    private static double Bits(double speed, int width) =>
        speed * BitsPerGigabit * width * (speed >= FastGigatransfers ? 128.0 / 130 : 0.8) * UsableShare;

    private static string Describe(double speed, int width) => $"{CheckText.Number(speed)} GT/s, {width} lanes";

    private sealed record PcieLink(double Speed, int Width, double MaxSpeed, int MaxWidth);
}
