using System.Net;
using System.Net.NetworkInformation;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Interfaces;

/// <summary>One network interface. <c>MtuBytes</c>: the largest IP packet it sends unfragmented.</summary>
internal sealed record InterfaceFacts(
    string Name, bool IsUp, bool IsLoopback, int? MtuBytes, IReadOnlyList<IPAddress> Addresses)
{
    /// <summary>In the system's order; empty where the system refuses to list them.</summary>
    public static IReadOnlyList<InterfaceFacts> ReadAll() =>
        SystemInterfaces.Try(static () => NetworkInterface.GetAllNetworkInterfaces().Select(Read).ToArray(), []);

    private static InterfaceFacts Read(NetworkInterface network)
    {
        // Drivers that do not report a state (loopback, tun) are "unknown" to the kernel and work nevertheless.
        bool isUp = network.OperationalStatus is OperationalStatus.Up or OperationalStatus.Unknown;
        IPInterfaceProperties properties = network.GetIPProperties();
        return new InterfaceFacts(
            network.Name,
            isUp,
            network.NetworkInterfaceType == NetworkInterfaceType.Loopback,
            ReadMtu(properties),
            [.. properties.UnicastAddresses.Select(static unicast => unicast.Address)]);
    }

    // Windows throws for an interface that lacks the protocol, and any system for one that has just gone.
    private static int? ReadMtu(IPInterfaceProperties properties) => SystemInterfaces.Try(
        () => (properties.GetIPv4Properties()?.Mtu ?? properties.GetIPv6Properties()?.Mtu) is > 0 and var bytes
            ? bytes
            : (int?)null,
        null);
}

/// <summary>Interfaces as the runtime knows them, for systems whose files are not read.</summary>
internal static class SystemInterfaces
{
    /// <summary>Empty if the system refuses to list them.</summary>
    public static NetworkInterface[] ReadAll() => Try(NetworkInterface.GetAllNetworkInterfaces, []);

    // -1 for a speed that the system does not know, and 0 or the largest number without a link.
    public static long? SpeedOf(string name, IEnumerable<NetworkInterface> all) => Try(
        () => all.FirstOrDefault(one => one.NetworkInterfaceType != NetworkInterfaceType.Loopback
                && string.Equals(one.Name, name, StringComparison.Ordinal))?.Speed is > 0 and < long.MaxValue
            and var speed
            ? speed
            : (long?)null,
        null);

    public static List<string> WithGateway(IEnumerable<NetworkInterface> all, int maxCount) => Try(
        () => all.Where(static one => one.GetIPProperties().GatewayAddresses.Count > 0)
            .Select(static one => one.Name)
            .Take(maxCount)
            .ToList(),
        []);

    /// <summary>The fallback if the system refuses.</summary>
    internal static T Try<T>(Func<T> read, T fallback)
    {
        try
        {
            return read();
        }
        catch (Exception fault) when (fault is NetworkInformationException or PlatformNotSupportedException)
        {
            return fallback;
        }
    }
}

/// <summary>Null where unknown; no speed for a loopback, most virtual interfaces, and without a link.</summary>
internal sealed record LinkFacts(string Name, long? SpeedBitsPerSecond, int? ReceiveQueues, int? SendQueues)
{
    private const long BitsPerMegabit = 1_000_000;
    private const int MaxQueues = 8192;

    /// <summary>On other systems than Linux the runtime knows the speed alone.</summary>
    public static LinkFacts Read(string name, string rootPath = "/") => Read(name, new HostFiles(rootPath));

    internal static LinkFacts Read(string name, HostFiles files)
    {
        if (files.IsEmpty)
        {
            return new LinkFacts(name, SystemInterfaces.SpeedOf(name, SystemInterfaces.ReadAll()), null, null);
        }

        if (SysfsDevice.InterfacePath(files, name) is not { } folder) return new LinkFacts(name, null, null, null);

        // -1 without a link; virtual interfaces refuse the reading (EINVAL).
        long? megabits = files.ReadNumber($"{folder}/speed");
        List<string> queues = files.ListNames($"{folder}/queues", MaxQueues);
        return new LinkFacts(
            name,
            megabits is > 0 and <= long.MaxValue / BitsPerMegabit ? megabits * BitsPerMegabit : null,
            CountOf("rx-"),
            CountOf("tx-"));

        int? CountOf(string prefix) =>
            queues.Count(queue => queue.StartsWith(prefix, StringComparison.Ordinal)) is > 0 and var count
                ? count
                : null;
    }
}

/// <summary>
/// The device behind an interface. <c>/sys/class/net</c> is made of relative links, and .NET folds "device/.." as text,
/// so links are followed here, one at a time and never out of <c>/sys</c>.
/// </summary>
internal static class SysfsDevice
{
    private const string NetworkClass = "sys/class/net";

    // IFNAMSIZ of linux/if.h, less the terminating NUL.
    private const int MaxNameLength = 15;

    public static string? InterfacePath(HostFiles files, string name)
    {
        if (name.Length is 0 or > MaxNameLength || name is "." or ".."
            || name.Contains('/', StringComparison.Ordinal))
        {
            return null;
        }

        string path = $"{NetworkClass}/{name}";
        return files.ReadLink(path) is { } link ? Follow(NetworkClass, link) : path;
    }

    /// <summary>Null for interfaces without a device (loopback, veth, bridges, bonds).</summary>
    public static string? DevicePath(HostFiles files, string interfacePath)
    {
        string path = interfacePath + "/device";
        return files.ReadLink(path) is { } link ? Follow(interfacePath, link)
            : files.DirectoryExists(path) ? path : null;
    }

    /// <summary>A virtio device's interrupts and node are those of its parent, a PCI function.</summary>
    public static string Parent(string path)
    {
        int slash = path.LastIndexOf('/');
        return slash < 0 ? path : path[..slash];
    }

    public static string NameOf(string path) => path[(path.LastIndexOf('/') + 1)..];

    private static string? Follow(string directory, string link)
    {
        var parts = new List<string>(directory.Split('/'));
        foreach (string part in link.Split('/'))
        {
            if (part is ".." && parts.Count > 1)
            {
                parts.RemoveAt(parts.Count - 1);
            }
            else if (part.Length == 0 || part is "..")
            {
                return null;
            }
            else if (part is not ".")
            {
                parts.Add(part);
            }
        }

        return string.Join('/', parts);
    }
}
