using System.Globalization;

namespace Spate.HostTuning.Checks.Sockets;

/// <summary>TCP's buffers where they are raised: a setting that many guides name and that UDP does not use.</summary>
internal sealed class TcpBufferCheck : HostCheck
{
    // The largest default of any kernel up to 6.18 (tcp_init in net/ipv4/tcp.c).
    private const long MaxDefaultBytes = 32 * 1024 * 1024;

    public override string Id => "tcp-rmem";

    public override string Subject => "buffers of TCP";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        string? last = host.Files.ReadLine("proc/sys/net/ipv4/tcp_rmem")?.Split('\t', ' ')[^1];
        if (long.TryParse(last, NumberStyles.None, CultureInfo.InvariantCulture, out long bytes)
            && bytes > MaxDefaultBytes)
        {
            yield return Ok(
                $"up to {CheckText.Bytes(bytes)}",
                "A raised net.ipv4.tcp_rmem does nothing for UDP, whose limit is net.core.rmem_max (tcp(7), "
                    + "socket(7)).");
        }
    }
}
