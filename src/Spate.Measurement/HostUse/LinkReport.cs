using Spate.Measurement.Reports;

namespace Spate.Measurement.HostUse;

/// <summary>The link of an interface that a run used. A value is null where the system does not tell.</summary>
internal sealed record LinkReport
{
    /// <summary>The name of the interface.</summary>
    public string Interface { get; set; } = "";

    /// <summary>The largest packet that the interface takes.</summary>
    public int? MtuBytes { get; set; }

    /// <summary>
    /// The speed that the interface tells: that of a card was negotiated, that of a bond is the sum of the members that
    /// may send, that of a VLAN is that of the interface below. Null for a loopback and most virtual interfaces.
    /// </summary>
    public long? SpeedBitsPerSecond { get; set; }

    /// <summary>
    /// The interfaces whose devices take the packets: itself for a card, those below for a bond, bridge or VLAN. All
    /// that follows is of these together. Empty for an interface without a device, such as a loopback or veth: then the
    /// queues are its own.
    /// </summary>
    public string[] Devices { get; set; } = [];

    /// <summary>The queues that arrivals are spread over (receive-side scaling).</summary>
    public int? ReceiveQueues { get; set; }

    /// <summary>Of these, the ones whose interrupts came during the run; null without interrupts of its own.</summary>
    public int? ReceiveQueuesInUse { get; set; }

    /// <summary>The queues to send from.</summary>
    public int? SendQueues { get; set; }

    /// <summary>The NUMA node of the devices; null where it is not told, and where they are on several.</summary>
    public int? Node { get; set; }

    /// <summary>The CPUs that handle the interrupts, for example <c>0-3</c>; empty where unknown.</summary>
    public string InterruptCpuList { get; set; } = "";

    /// <summary>What decides how fast it is, as a part of a setting.</summary>
    internal string SettingText => $"{Interface} mtu {ReportSetting.Text(MtuBytes)} speed "
        + $"{ReportSetting.Text(SpeedBitsPerSecond)} queues {ReportSetting.Text(ReceiveQueues)}";

    /// <summary>All values as text, at most 16 elements of each list.</summary>
    public override string ToString() => RecordText.Of(nameof(LinkReport), PrintMembers, (nameof(Devices), Devices));
}
