using Spate.HostTuning.Settings;
using static Spate.HostTuning.Checks.CheckFinding;

namespace Spate.HostTuning.Checks;

/// <summary>A plain setting of the kernel's: a number that is shown, and raised if the profile needs more.</summary>
/// <param name="Found">Says the number.</param>
internal sealed record SysctlCheck(string Id, string Key, Func<long, string> Found, string Reason)
{
    private const long DefaultPressureBytes = 4096;

    private static readonly SysctlCheck[] All =
    [
        // The memory of a socket's options and of its sends without a copy.
        new(
            "optmem-max",
            "net.core.optmem_max",
            CheckText.Bytes,
            "Sends without a copy (MSG_ZEROCOPY) and control messages are charged to it; ESnet sets 1 MiB from 100 "
                + "Gbit/s on (fasterdata-tuning).")
        {
            Profile = HostProfile.HundredGigabit,
            Need = 1024 * 1024,
        },
        // What a UDP socket may use while the memory of all is short.
        new(
            "udp-rmem-min",
            "net.ipv4.udp_rmem_min",
            static bytes => CheckText.Bytes(bytes)
                + (bytes == DefaultPressureBytes ? "" : $", changed from {CheckText.Bytes(DefaultPressureBytes)}"),
            "It counts only while all UDP sockets together are above the second number of udp_mem (ip-sysctl), so that "
                + "another value changes nothing on most hosts."),
        // The look-up of a datagram's socket ahead of its route.
        new(
            "udp-early-demux",
            "net.ipv4.udp_early_demux",
            static value => value == 0 ? "off" : "on",
            "On helps connected sockets; off gave 0.8 to 3 % to unconnected ones on ARM64 (Linux commit dddb64bcb346). "
                + "Measure before changing it."),
    ];

    /// <summary>The only one that it matters for; null for all.</summary>
    public HostProfile? Profile { get; init; }

    /// <summary>The least that is enough; null where every number is.</summary>
    public long? Need { get; init; }

    public static HostCheck Of(string id) =>
        new(id, Array.Find(All, one => string.Equals(one.Id, id, StringComparison.Ordinal))!.Look);

    private CheckFinding? Look(HostReadings host)
    {
        if (Profile is { } profile && host.Needs.Profile != profile) return null;

        var setting = new SysctlSetting(Key);
        if (host.ReadNumber(setting) is not { } value) return Unknown($"{setting.Name} is not shown here.");

        return value < Need
            ? BelowNeed(Found(value), Found(Need.Value), Reason).With(HostChange.Of(setting, value, Need.Value))
            : Ok(Found(value), Reason);
    }
}
