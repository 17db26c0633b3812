namespace Spate.Measurement.Traffic;

/// <summary>Whether a socket that sends to several peers can report ICMP errors (IP_RECVERR of Linux).</summary>
internal static class IcmpSupport
{
    /// <summary>Ask this before opening a socket: the portable backend refuses the option.</summary>
    /// <param name="backend">The backend asked for.</param>
    public static bool IsPossible(UdpBackend backend) => OperatingSystem.IsLinux()
        && (backend == UdpBackend.Automatic ? UdpCapabilities.Current.Preferred : backend) != UdpBackend.Portable;
}
