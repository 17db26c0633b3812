using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using Spate.Interop.Linux;

namespace Spate.Hashing;

/// <summary>
/// SipHash-1-3 with a 128-bit key. Peers choose their own addresses and ports, so without a key they could choose
/// values that collide in a table. Other hash tables, such as Rust's and Python's, also use one compression round and
/// three final rounds against this attack.
/// </summary>
internal readonly struct KeyedHash(ulong key0, ulong key1)
{
    /// <summary>The number of rounds for each word: the "1" of SipHash-1-3.</summary>
    internal const int CompressionRounds = 1;

    /// <summary>The number of rounds at the end: the "3" of SipHash-1-3.</summary>
    internal const int FinalRounds = 3;

    private static KeyedHash _process;
    private static bool _isProcessMade;
    private static object? _processLock;

    private readonly ulong _key0 = key0;
    private readonly ulong _key1 = key1;

    /// <summary>
    /// The hash of this process. Its key is drawn once, from the system's random source. If that fails, the next caller
    /// tries again. (A static constructor would keep the failure for the life of the process.) Any thread may read it.
    /// </summary>
    internal static ref readonly KeyedHash Process
    {
        get
        {
            if (!Volatile.Read(ref _isProcessMade))
            {
                LazyInitializer.EnsureInitialized(ref _process, ref _isProcessMade, ref _processLock, CreateRandom);
            }

            return ref _process;
        }
    }

    /// <summary>Creates a hash with a new random key.</summary>
    internal static KeyedHash CreateRandom()
    {
        Span<byte> key = stackalloc byte[2 * sizeof(ulong)];

        // On Linux, the system call getrandom is tried first, because RandomNumberGenerator loads the library of
        // OpenSSL. Small containers do not have that library, and loading it needs a free descriptor.
        if (!OperatingSystem.IsLinux() || !SysRandom.TryFill(key)) FillElsewhere(key);
        return new KeyedHash(
            BinaryPrimitives.ReadUInt64LittleEndian(key),
            BinaryPrimitives.ReadUInt64LittleEndian(key[sizeof(ulong)..]));
    }

    // Never inlined: if it were, compiling the caller would load the assembly of RandomNumberGenerator, and that needs
    // a free descriptor too.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void FillElsewhere(Span<byte> key) => RandomNumberGenerator.Fill(key);

    /// <summary>Hashes a message of any length.</summary>
    internal ulong Hash(ReadOnlySpan<byte> message) =>
        SipHash.Compute(message, _key0, _key1, CompressionRounds, FinalRounds);

    /// <summary>
    /// Hashes 8 bytes, given as one little-endian word. The result is the same as for a span of these bytes, without
    /// the loop that the span needs.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong Hash(ulong word)
    {
        const ulong LengthByte = 8UL << 56;
        var state = new SipHash.State(_key0, _key1);
        state.Absorb(word, CompressionRounds);
        state.Absorb(LengthByte, CompressionRounds);
        return state.Finish(FinalRounds);
    }

    /// <summary>
    /// Hashes 28 bytes, given as little-endian words. The result is the same as for a span of these bytes, without the
    /// loop that the span needs.
    /// </summary>
    /// <remarks>
    /// Not inlined: the JIT compiler has a budget for inlining into each caller. Beyond this budget, a hash round
    /// becomes a call with the state in memory, which costs more than twice as much.
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
