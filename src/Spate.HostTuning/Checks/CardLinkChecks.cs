using System.Globalization;
using Spate.HostTuning.Settings;
using static Spate.HostTuning.Checks.CheckFinding;

namespace Spate.HostTuning.Checks;

/// <summary>The links of a card: to the network and to the processor.</summary>
internal static class CardLinkChecks
{
    private const int MegabitsPerGigabit = 1000;
    private const double BitsPerGigabit = 1e9;

    // Heads and acknowledgements of packets of 256 bytes take a good tenth of a link.
    private const double UsableShare = 0.85;

    // From 8 GT/s on 128 of 130 bits are data, below 8 of 10 (PCI Express Base Specification).
    private const double FastGigatransfers = 8;

    /// <summary>Whether a card and the switch may stop each other for a moment.</summary>
    public static CheckFinding? Pause(HostReadings host, HostInterface one)
    {
        if (one.Card.Pause is not { } pause) return null;

        (CardNumber Number, bool IsOn)[] both =
            [(CardNumber.PauseRx, pause.rx_pause != 0), (CardNumber.PauseTx, pause.tx_pause != 0)];
        string found = string.Join(", ", both.Select(static one => $"{one.Number.Argument} {SwitchText.Of(one.IsOn)}"));
        bool isOn = Array.TrueForAll(both, static one => one.IsOn);
        bool isNeeded = host.Needs.Profile == HostProfile.HundredGigabit
            || (host.Needs.IsFast && CardLossChecks.WithoutBuffer(host, one) > 0);
        return isOn || !isNeeded
            ? Ok(found, "Flow control makes the other end wait while a ring is full (ethtool -a).")
            : Advice(
                found,
                "rx on, tx on",
                "Flow control makes the other end wait while a ring is full; setting it takes the link down for a "
                    + "moment (ESnet's guide for 100 Gbit/s).")
                .With(
                [
                    .. both.Where(static one => !one.IsOn)
                        .Select(which => CardQueueChecks.Switch(one, which.Number, isOn: true)),
                ]);
    }

    /// <summary>Whether a link is as fast as its card.</summary>
    public static CheckFinding? Speed(HostReadings host, HostInterface one)
    {
        if (one.Card.Link is not { Megabits: { } speed } link) return null;

        string found = Text(speed) + (link.IsHalfDuplex ? ", half duplex" : "");
        string wanted = link.MaxMegabits is { } max ? Text(Math.Max(max, speed)) : "full duplex";
        if (link.IsHalfDuplex)
        {
            return BelowNeed(
                found,
                wanted,
                "A half-duplex link loses packets if both ends send at once: its peer does not negotiate (ethtool).");
        }

        return link.MaxMegabits > speed
            ? Advice(
                found,
                wanted,
                "The NIC supports more than was negotiated: the cable, the transceiver or the switch port limits "
                    + "it (ethtool).")
            : Ok(found, "The link runs at the full speed of the NIC (ethtool).");

        static string Text(long megabits) => megabits % MegabitsPerGigabit == 0
            ? $"{megabits / MegabitsPerGigabit} Gbit/s"
            : megabits > MegabitsPerGigabit
                ? string.Create(CultureInfo.InvariantCulture, $"{megabits / 1000.0:0.#} Gbit/s")
                : $"{megabits} Mbit/s";
    }

    /// <summary>The speed and width of a card's link to the processor.</summary>
    public static IEnumerable<CheckFinding> Pcie(HostReadings host) => host.EachCard(one => PcieOf(host, one));

    private static CheckFinding PcieOf(HostReadings host, HostInterface one)
    {
        if (host.ReadDevice(one, device => Read(host, device)) is not { } link)
        {
            return Unknown("Its device has no PCI Express link: it is virtual, or built in.");
        }

        string found = Describe(link.Speed, link.Width);
        bool isFull = link.Speed >= link.MaxSpeed && link.Width >= link.MaxWidth;
        double bits = link.Speed * BitsPerGigabit * link.Width
            * (link.Speed >= FastGigatransfers ? 128.0 / 130 : 0.8) * UsableShare;
        if (bits < one.Link.SpeedBitsPerSecond)
        {
            return BelowNeed(
                found,
                isFull ? "a slot with more lanes, or a NIC with more" : Describe(link.MaxSpeed, link.MaxWidth),
                $"The link carries about {CheckText.Number(bits / BitsPerGigabit)} Gbit/s, less than the network: "
                    + "check the slot, its other cards and the firmware settings (sysfs-bus-pci, current_link_speed).");
        }

        return isFull || one.Link.SpeedBitsPerSecond is not null
            ? Ok(found, $"The link carries about {CheckText.Number(bits / BitsPerGigabit)} Gbit/s.")
            : Advice(
                found,
                Describe(link.MaxSpeed, link.MaxWidth),
                "The NIC and its slot support more: check the slot, its other cards and the firmware settings "
                    + "(sysfs-bus-pci, current_link_speed).");

        static string Describe(double speed, int width) => $"{CheckText.Number(speed)} GT/s, {width} lanes";
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

    private sealed record PcieLink(double Speed, int Width, double MaxSpeed, int MaxWidth);
}
