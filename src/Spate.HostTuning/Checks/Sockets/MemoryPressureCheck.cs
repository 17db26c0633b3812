namespace Spate.HostTuning.Checks.Sockets;

/// <summary>What a UDP socket may use while the memory of all is short.</summary>
internal sealed class MemoryPressureCheck : HostCheck
{
    private const long DefaultBytes = 4096;

    public override string Id => "udp-rmem-min";

    public override string Subject => "receive memory of a socket under pressure";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        if (host.Files.ReadNumber("proc/sys/net/ipv4/udp_rmem_min") is not { } bytes)
        {
            yield return Unknown("net.ipv4.udp_rmem_min is not shown here.");
            yield break;
        }

        string changed = bytes == DefaultBytes ? "" : $", changed from {CheckText.Bytes(DefaultBytes)}";
        yield return Ok(
            CheckText.Bytes(bytes) + changed,
            "It counts only while all UDP sockets together are above the second number of udp_mem (ip-sysctl), so that "
                + "another value changes nothing on most hosts.");
    }
}
