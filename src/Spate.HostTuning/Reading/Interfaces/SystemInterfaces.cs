using System.Net.NetworkInformation;

namespace Spate.HostTuning.Reading.Interfaces;

/// <summary>Interfaces as the runtime knows them, for systems whose files are not read.</summary>
internal static class SystemInterfaces
{
    /// <summary>Empty if the system refuses to list them.</summary>
    public static NetworkInterface[] ReadAll()
    {
        try
        {
            return NetworkInterface.GetAllNetworkInterfaces();
        }
        catch (NetworkInformationException)
        {
            return [];
        }
    }

    public static long? SpeedOf(string name, IEnumerable<NetworkInterface> all)
    {
        try
        {
            // -1 for a speed that the system does not know, and 0 or the largest number without a link.
            return all.FirstOrDefault(one => one.NetworkInterfaceType != NetworkInterfaceType.Loopback
                    && string.Equals(one.Name, name, StringComparison.Ordinal))?.Speed is > 0 and < long.MaxValue
                and var speed
                ? speed
                : null;
        }
        catch (Exception fault) when (fault is NetworkInformationException or PlatformNotSupportedException)
        {
            return null;
        }
    }

    public static List<string> WithGateway(IEnumerable<NetworkInterface> all, int maxCount)
    {
        try
        {
            return
            [
                .. all.Where(static one => one.GetIPProperties().GatewayAddresses.Count > 0)
                    .Select(static one => one.Name)
                    .Take(maxCount),
            ];
        }
        catch (NetworkInformationException)
        {
            return [];
        }
    }
}
