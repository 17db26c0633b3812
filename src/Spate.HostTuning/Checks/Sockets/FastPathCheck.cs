namespace Spate.HostTuning.Checks.Sockets;

/// <summary>
/// Segmented send and coalesced receive. Below another root than <c>/</c> there is nothing to try, and no finding.
/// Advice is for Linux only: nobody could follow it on another system.
/// </summary>
internal sealed class FastPathCheck : HostCheck
{
    public override string Id => "fast-paths";

    public override string Subject => "segmented send and coalesced receive";

    public override bool IsLinuxOnly => false;

    public override IEnumerable<CheckFinding> Examine(HostReadings host) =>
        string.Equals(host.Request.RootPath, "/", StringComparison.Ordinal)
            ? [Of(
                [UdpCapabilities.Current.SegmentedSend, UdpCapabilities.Current.CoalescedReceive],
                OperatingSystem.IsLinux())]
            : [];

    internal CheckFinding Of(IReadOnlyList<UdpCapability> wanted, bool isLinux)
    {
        UdpCapability[] missing = [.. wanted.Where(static one => !one.IsAvailable)];
        string found = string.Join(
            ", ", wanted.Select(static one => $"{one.Name} {(one.IsAvailable ? "works" : "does not work")}"));
        string why = string.Join("; ", missing.Select(static one => $"{one.Name}: {one.Reason}"));
        return missing.Length == 0
            ? Ok(found, "The system cuts a segmented send and brings several datagrams by one receive (udp(7)).")
            : isLinux ? Advice(
                found, "Linux 5.0 or later", $"Without these each datagram passes the system alone: {why}")
            : Ok(found, $"On this system each datagram passes alone, which nothing changes: {why}");
    }
}
