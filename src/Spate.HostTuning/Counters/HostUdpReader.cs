using System.Net.NetworkInformation;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Counters;

/// <summary>Reads the counts of the whole host's UDP, IPv4 and IPv6 together.</summary>
internal static class HostUdpReader
{
    // A file of either name has some 3 kB, the same on every machine.
    private const int MaxFileBytes = 8192;

    /// <summary>Linux: of the thread's network namespace. Windows: 32 bits that wrap (GetUdpStatisticsEx).</summary>
    public static (long? Received, long? Errors, long? NoPorts) Read(HostFiles files)
    {
        if (files.IsEmpty) return OperatingSystem.IsWindows() ? ReadWindows() : default;

        Span<byte> buffer = stackalloc byte[MaxFileBytes];
        using HostFile snmp = files.Open("proc/thread-self/net/snmp");
        UdpProtocolCounters udp4 = ProtocolParser.ParseUdp4(snmp.ReadAll(buffer));
        using HostFile snmp6 = files.Open("proc/thread-self/net/snmp6");
        UdpProtocolCounters udp6 = ProtocolParser.ParseUdp6(snmp6.ReadAll(buffer));

        // Without IPv6 there is no second file, and nothing that it could add.
        return (
            udp4.InDatagrams + (udp6.InDatagrams ?? 0),
            udp4.InErrors + (udp6.InErrors ?? 0),
            udp4.NoPorts + (udp6.NoPorts ?? 0));
    }

    private static (long? Received, long? Errors, long? NoPorts) ReadWindows()
    {
        try
        {
            var host = IPGlobalProperties.GetIPGlobalProperties();
            UdpStatistics udp4 = host.GetUdpIPv4Statistics();
            UdpStatistics udp6 = host.GetUdpIPv6Statistics();
            return (
                udp4.DatagramsReceived + udp6.DatagramsReceived,
                udp4.IncomingDatagramsWithErrors + udp6.IncomingDatagramsWithErrors,
                udp4.IncomingDatagramsDiscarded + udp6.IncomingDatagramsDiscarded);
        }
        catch (NetworkInformationException)
        {
            return default;
        }
    }
}
