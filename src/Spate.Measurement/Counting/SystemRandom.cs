namespace Spate.Measurement.Counting;

/// <summary>
/// Random bytes of the system, of which <see cref="Guid.NewGuid"/> has 122 bits. RandomNumberGenerator loads OpenSSL's
/// library on Linux and ends the process where there is none, as in small containers.
/// </summary>
internal static class SystemRandom
{
    public static ulong NextUInt64()
    {
        // No fixed bit of a GUID has another one at its place in the other half, so the XOR of both is random in each.
        Span<byte> bytes = stackalloc byte[2 * sizeof(ulong)];
        Guid.NewGuid().TryWriteBytes(bytes);
        return BitConverter.ToUInt64(bytes) ^ BitConverter.ToUInt64(bytes[sizeof(ulong)..]);
    }

    public static void Fill(Span<byte> bytes)
    {
        Span<byte> word = stackalloc byte[sizeof(ulong)];
        while (bytes.Length > 0)
        {
            BitConverter.TryWriteBytes(word, NextUInt64());
            int count = Math.Min(bytes.Length, word.Length);
            word[..count].CopyTo(bytes);
            bytes = bytes[count..];
        }
    }

    public static byte[] GetBytes(int count)
    {
        byte[] bytes = new byte[count];
        Fill(bytes);
        return bytes;
    }
}
