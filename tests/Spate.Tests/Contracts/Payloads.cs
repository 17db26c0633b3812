using System.Buffers.Binary;

namespace Spate.Tests.Contracts;

/// <summary>Payloads that tell where they belong, so that a mix-up of bytes, bounds or order shows.</summary>
internal static class Payloads
{
    /// <summary>Every byte depends on the tag and on its place.</summary>
    public static byte[] Make(int lengthBytes, int tag)
    {
        byte[] payload = new byte[lengthBytes];
        for (int i = 0; i < payload.Length; i++) payload[i] = (byte)((tag * 31) + (i * 7) + (i >> 8));
        if (payload.Length >= sizeof(int)) BinaryPrimitives.WriteInt32BigEndian(payload, tag);
        return payload;
    }

    /// <summary>One payload per length, tagged by its index.</summary>
    public static byte[][] Of(params ReadOnlySpan<int> lengthsBytes)
    {
        byte[][] payloads = new byte[lengthsBytes.Length][];
        for (int i = 0; i < payloads.Length; i++) payloads[i] = Make(lengthsBytes[i], i);
        return payloads;
    }

    public static byte[][] Same(int count, int lengthBytes) =>
        [.. Enumerable.Range(0, count).Select(tag => Make(lengthBytes, tag))];

    public static IEnumerable<Outgoing> To(this IEnumerable<byte[]> payloads, UdpEndPoint peer) =>
        payloads.Select(payload => new Outgoing(peer, payload));
}
