using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Spate.Hashing;

/// <summary>
/// SipHash-c-d by Aumasson and Bernstein ("SipHash: a fast short-input PRF", 2012), 64-bit output. Rounds and key are
/// parameters, so that this one implementation can be checked against the published vectors of any variant.
/// </summary>
internal static class SipHash
{
    /// <summary>Hashes a message of any length.</summary>
    internal static ulong Compute(
        ReadOnlySpan<byte> message, ulong key0, ulong key1, int compressionRounds, int finalRounds)
    {
        var state = new State(key0, key1);
        ulong lengthByte = (ulong)message.Length << 56;
        while (message.Length >= sizeof(ulong))
        {
            state.Absorb(BinaryPrimitives.ReadUInt64LittleEndian(message), compressionRounds);
            message = message[sizeof(ulong)..];
        }

        Span<byte> tail = stackalloc byte[sizeof(ulong)];
        tail.Clear();
        message.CopyTo(tail);
        state.Absorb(BinaryPrimitives.ReadUInt64LittleEndian(tail) | lengthByte, compressionRounds);
        return state.Finish(finalRounds);
    }

    /// <summary>The four words of state while a hash is computed.</summary>
    internal struct State
    {
        private ulong _v0;
        private ulong _v1;
        private ulong _v2;
        private ulong _v3;

        // The constants are from the paper: "somepseudorandomlygeneratedbytes" in ASCII.
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal State(ulong key0, ulong key1)
        {
            _v0 = key0 ^ 0x736F6D6570736575;
            _v1 = key1 ^ 0x646F72616E646F6D;
            _v2 = key0 ^ 0x6C7967656E657261;
            _v3 = key1 ^ 0x7465646279746573;
        }

        /// <summary>Mixes one little-endian word into the state.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal void Absorb(ulong word, int rounds)
        {
            _v3 ^= word;
            Mix(rounds);
            _v0 ^= word;
        }

        /// <summary>Finishes the hash and returns its value.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal ulong Finish(int rounds)
        {
            _v2 ^= 0xFF;
            Mix(rounds);
            return _v0 ^ _v1 ^ _v2 ^ _v3;
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private void Mix(int rounds)
        {
            for (int round = 0; round < rounds; round++)
            {
                _v0 += _v1;
                _v1 = BitOperations.RotateLeft(_v1, 13) ^ _v0;
                _v0 = BitOperations.RotateLeft(_v0, 32);
                _v2 += _v3;
                _v3 = BitOperations.RotateLeft(_v3, 16) ^ _v2;
                _v0 += _v3;
                _v3 = BitOperations.RotateLeft(_v3, 21) ^ _v0;
                _v2 += _v1;
                _v1 = BitOperations.RotateLeft(_v1, 17) ^ _v2;
                _v2 = BitOperations.RotateLeft(_v2, 32);
            }
        }
    }
}
