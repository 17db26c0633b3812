namespace Spate.Measurement.Reports;

/// <summary>The name of the kernel's drop unit in reports.</summary>
internal static class DropUnitText
{
    public static string Of(UdpDropUnit unit) =>
        unit == UdpDropUnit.CoalescedBuffers ? "coalesced buffers" : "datagrams";
}
