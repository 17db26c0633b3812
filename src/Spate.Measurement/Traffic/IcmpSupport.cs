namespace Spate.Measurement.Traffic;

/// <summary>Whether a socket that sends to several peers can be told of ICMP errors (IP_RECVERR of Linux).</summary>
internal static class IcmpSupport
{
    /// <summary>Asked before a socket is opened: one of the portable backend is refused with the option.</summary>
    /// <param name="backend">The backend asked for.</param>
    public static bool IsPossible(UdpBackend backend) => OperatingSystem.IsLinux()
        && (backend == UdpBackend.Automatic ? UdpCapabilities.Current.Preferred : backend) != UdpBackend.Portable;
}
