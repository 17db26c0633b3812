using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using Spate.Interop.Linux;

namespace Spate.Hashing;

/// <summary>
/// SipHash-1-3 under one 128-bit key. Peers choose their own addresses and ports, so an unkeyed hash would let them
/// pick a table's collisions; one compression and three final rounds are what hash tables elsewhere use against that.
/// </summary>
internal readonly struct KeyedHash(ulong key0, ulong key1)
{
    /// <summary>One round for each word: the "1" of SipHash-1-3.</summary>
    internal const int CompressionRounds = 1;

    /// <summary>Three rounds at the end: the "3" of SipHash-1-3.</summary>
    internal const int FinalRounds = 3;

    private static readonly HashOnce OfProcess = new(CreateRandom);

    private readonly ulong _key0 = key0;
    private readonly ulong _key1 = key1;

    /// <summary>
    /// The hash of this process; its key is drawn once from the system's random source.
    /// </summary>
    internal static ref readonly KeyedHash Process => ref OfProcess.Value;

    /// <summary>A hash under a fresh random key.</summary>
    internal static KeyedHash CreateRandom()
    {
        Span<byte> key = stackalloc byte[2 * sizeof(ulong)];

        // RandomNumberGenerator loads OpenSSL's library on Linux, which small containers lack and which needs files.
        if (!OperatingSystem.IsLinux() || !SysRandom.TryFill(key)) FillElsewhere(key);
        return new KeyedHash(
            BinaryPrimitives.ReadUInt64LittleEndian(key),
            BinaryPrimitives.ReadUInt64LittleEndian(key[sizeof(ulong)..]));
    }

    // Never inlined: the compiler would load the assembly of RandomNumberGenerator, which needs a file too.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void FillElsewhere(Span<byte> key) => RandomNumberGenerator.Fill(key);

    /// <summary>Hashes a message of any length.</summary>
    internal ulong Hash(ReadOnlySpan<byte> message) =>
        SipHash.Compute(message, _key0, _key1, CompressionRounds, FinalRounds);

    /// <summary>Hashes 8 bytes given as a little-endian word: the result for a span, without its loop.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong Hash(ulong word)
    {
        const ulong LengthByte = 8UL << 56;
        var state = new SipHash.State(_key0, _key1);
        state.Absorb(word, CompressionRounds);
        state.Absorb(LengthByte, CompressionRounds);
        return state.Finish(FinalRounds);
    }

    /// <summary>Hashes 28 bytes given as little-endian words: the result for a span, without its loop.</summary>
    /// <remarks>
    /// Not inlined: the compiler has a budget for each caller, and past it a round becomes a call with the state in
    /// memory, at more than twice the cost.
    /// </remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal ulong Hash(ulong first, ulong second, ulong third, uint last)
    {
        const ulong LengthByte = 28UL << 56;
        var state = new SipHash.State(_key0, _key1);
        state.Absorb(first, CompressionRounds);
        state.Absorb(second, CompressionRounds);
        state.Absorb(third, CompressionRounds);
        state.Absorb(last | LengthByte, CompressionRounds);
        return state.Finish(FinalRounds);
    }
}
