namespace Spate.Measurement.Reports;

/// <summary>How reports name the unit of the kernel's drops.</summary>
internal static class DropUnitText
{
    public static string Of(UdpDropUnit unit) =>
        unit == UdpDropUnit.CoalescedBuffers ? "coalesced buffers" : "datagrams";
}
