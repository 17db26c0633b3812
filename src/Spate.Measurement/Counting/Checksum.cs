using System.Numerics;
using System.Runtime.InteropServices;

namespace Spate.Measurement.Counting;

/// <summary>CRC-32C (Castagnoli, RFC 3720, 12.1), which processors compute eight bytes at a time.</summary>
internal static class Checksum
{
    public const uint Begin = uint.MaxValue;

    public static uint Add(uint state, ReadOnlySpan<byte> bytes)
    {
        ReadOnlySpan<ulong> words = MemoryMarshal.Cast<byte, ulong>(bytes);
        foreach (ulong word in words)
        {
            // The bytes in the order of memory, as the processor's instruction takes them.
            state = BitOperations.Crc32C(state, BitConverter.IsLittleEndian ? word : Swapped(word));
        }

        foreach (byte rest in bytes[(words.Length * sizeof(ulong))..])
        {
            state = BitOperations.Crc32C(state, rest);
        }

        return state;
    }

    public static uint End(uint state) => ~state;

    private static ulong Swapped(ulong word) => System.Buffers.Binary.BinaryPrimitives.ReverseEndianness(word);
}
