using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Traffic;

/// <summary>
/// A chosen amount of work per datagram, in place of a real server's work. A round is one rotate, one exclusive or and
/// one multiply-and-add of a 64-bit state, each depending on the one before. A round touches no memory, and neither
/// caches nor wide instructions shorten it, so N rounds take N times as long as one.
/// </summary>
internal static class WorkLoad
{
    public const int MaxRounds = 10_000_000;

    private const ulong Multiplier = 0xD1342543DE82EF95;
    private const ulong Increment = 0x9E3779B97F4A7C15;
    private const int RotateBits = 29;

    private const int MeasuredCalls = 15;
    private const int MeasuredRounds = 20_000;

    /// <summary>Up to <see cref="MaxRounds"/>. Use the result, or the compiler may drop the call.</summary>
    // Optimised at the first call, so that the code measured at the start is the code that runs later.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static uint Do(int rounds, uint seed)
    {
        ulong state = seed;
        for (int round = 0; round < rounds; round++)
        {
            state = ((BitOperations.RotateLeft(state, RotateBits) ^ Increment) * Multiplier) + Increment;
        }

        return (uint)(state >> 32);
    }

    /// <summary>The median of some measurements, a few ms in all. Other threads on the CPU make it higher.</summary>
    public static double MeasureNanosecondsPerRound()
    {
        uint state = Do(MeasuredRounds, seed: 1);
        double[] nanosecondsPerRound = new double[MeasuredCalls];
        for (int call = 0; call < MeasuredCalls; call++)
        {
            long start = Stopwatch.GetTimestamp();
            state = Do(MeasuredRounds, state);
            nanosecondsPerRound[call] = Stopwatch.GetElapsedTime(start).TotalNanoseconds / MeasuredRounds;
        }

        GC.KeepAlive(state);
        return Statistics.Median(nanosecondsPerRound);
    }
}
