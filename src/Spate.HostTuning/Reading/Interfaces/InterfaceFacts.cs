using System.Net;
using System.Net.NetworkInformation;

namespace Spate.HostTuning.Reading.Interfaces;

/// <summary>One network interface. <c>MtuBytes</c>: the largest IP packet it sends unfragmented.</summary>
internal sealed record InterfaceFacts(
    string Name, bool IsUp, bool IsLoopback, int? MtuBytes, IReadOnlyList<IPAddress> Addresses)
{
    /// <summary>In the system's order; empty where the system refuses to list them.</summary>
    public static IReadOnlyList<InterfaceFacts> ReadAll()
    {
        try
        {
            return [.. NetworkInterface.GetAllNetworkInterfaces().Select(Read)];
        }
        catch (NetworkInformationException)
        {
            return [];
        }
    }

    public override string ToString() => RecordText.Of(
        nameof(InterfaceFacts), PrintMembers, (nameof(Addresses), Addresses));

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

    private static int? ReadMtu(IPInterfaceProperties properties)
    {
        try
        {
            int mtuBytes = properties.GetIPv4Properties()?.Mtu ?? properties.GetIPv6Properties()?.Mtu ?? 0;
            return mtuBytes > 0 ? mtuBytes : null;
        }
        catch (NetworkInformationException)
        {
            // Windows throws for an interface that lacks the protocol, and any system for one that has just gone.
            return null;
        }
    }
}
