namespace Spate.Measurement.Traffic;

/// <summary>The name of the kernel's drop unit in reports.</summary>
internal static class DropUnitText
{
    private const string CoalescedBuffers = "coalesced buffers";

    public static string Of(UdpDropUnit unit) =>
        unit == UdpDropUnit.CoalescedBuffers ? CoalescedBuffers : "datagrams";

    /// <summary>Reads the name again; text that is none stands for datagrams.</summary>
    public static UdpDropUnit Read(string? text) => string.Equals(text, CoalescedBuffers, StringComparison.Ordinal)
        ? UdpDropUnit.CoalescedBuffers
        : UdpDropUnit.Datagrams;
}
