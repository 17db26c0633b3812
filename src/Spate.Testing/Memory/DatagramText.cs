using System.Text;

namespace Spate.Testing.Memory;

/// <summary>Writes peer and payload of a datagram, for the messages of failed assertions.</summary>
internal static class DatagramText
{
    private const int MaxShownBytes = 64;

    public static void Append(StringBuilder text, UdpEndPoint peer, ReadOnlySpan<byte> payload)
    {
        text.Append("Peer = ").Append(peer).Append(", Payload = ").Append(payload.Length).Append(" bytes");
        if (payload.IsEmpty) return;
        ReadOnlySpan<byte> shown = payload[..Math.Min(payload.Length, MaxShownBytes)];
        text.Append(" 0x").Append(Convert.ToHexString(shown));
        if (shown.Length < payload.Length) text.Append("...");
    }
}
