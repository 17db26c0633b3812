using System.Buffers.Binary;
using System.Numerics;
using Spate.Measurement.Counting;

namespace Spate.Measurement.PathTest;

/// <summary>
/// SipHash-2-4 by Aumasson and Bernstein ("SipHash: a fast short-input PRF", 2012): a code of 64 bits that only the
/// holder of the key can make. Unlike the HMAC of .NET it needs no library of the system.
/// </summary>
internal readonly struct CookieHash(ulong key0, ulong key1)
{
    /// <summary>A hash under a random key.</summary>
    public CookieHash()
        : this(SystemRandom.NextUInt64(), SystemRandom.NextUInt64())
    {
    }

    /// <summary>The code of a message.</summary>
    public ulong Compute(ReadOnlySpan<byte> message)
    {
        // The paper's constants: "somepseudorandomlygeneratedbytes" in ASCII.
        ulong v0 = key0 ^ 0x736f6d6570736575;
        ulong v1 = key1 ^ 0x646f72616e646f6d;
        ulong v2 = key0 ^ 0x6c7967656e657261;
        ulong v3 = key1 ^ 0x7465646279746573;
        Span<byte> last = stackalloc byte[sizeof(ulong)];
        last.Clear();
        message[^(message.Length % sizeof(ulong))..].CopyTo(last);
        last[^1] = (byte)message.Length;
        for (; message.Length >= sizeof(ulong); message = message[sizeof(ulong)..])
        {
            Absorb(message, ref v0, ref v1, ref v2, ref v3);
        }

        Absorb(last, ref v0, ref v1, ref v2, ref v3);
        v2 ^= 0xFF;
        for (int i = 0; i < 4; i++) Round(ref v0, ref v1, ref v2, ref v3);
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private static void Absorb(ReadOnlySpan<byte> bytes, ref ulong v0, ref ulong v1, ref ulong v2, ref ulong v3)
    {
        ulong word = BinaryPrimitives.ReadUInt64LittleEndian(bytes);
        v3 ^= word;
        Round(ref v0, ref v1, ref v2, ref v3);
        Round(ref v0, ref v1, ref v2, ref v3);
        v0 ^= word;
    }

    private static void Round(ref ulong v0, ref ulong v1, ref ulong v2, ref ulong v3)
    {
        v0 += v1;
        v1 = BitOperations.RotateLeft(v1, 13) ^ v0;
        v0 = BitOperations.RotateLeft(v0, 32);
        v2 += v3;
        v3 = BitOperations.RotateLeft(v3, 16) ^ v2;
        v0 += v3;
        v3 = BitOperations.RotateLeft(v3, 21) ^ v0;
        v2 += v1;
        v1 = BitOperations.RotateLeft(v1, 17) ^ v2;
        v2 = BitOperations.RotateLeft(v2, 32);
    }
}
