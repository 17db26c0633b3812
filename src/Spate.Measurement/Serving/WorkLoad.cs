using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Serving;

/// <summary>
/// A settable amount of work per datagram, in place of what a real server would do with it. A round is one rotate, one
/// exclusive or and one multiply-and-add of a 64-bit state, each depending on the one before: it touches no memory and
/// neither caches nor wide instructions shorten it, so N rounds cost N times one.
/// </summary>
public static class WorkLoad
{
    /// <summary>The most rounds that can be asked for.</summary>
    public const int MaxRounds = 10_000_000;

    private const ulong Multiplier = 0xD1342543DE82EF95;
    private const ulong Increment = 0x9E3779B97F4A7C15;
    private const int RotateBits = 29;

    private const int MeasuredCalls = 15;
    private const int MeasuredRounds = 20_000;

    /// <summary>Does the rounds.</summary>
    /// <param name="rounds">How many, from 0 to <see cref="MaxRounds"/>; none at 0.</param>
    /// <param name="seed">Where the state begins, such as a byte of the datagram.</param>
    /// <returns>What came out. Use it (add it to something that is read), or the call may be left out.</returns>
    // Compiled in full at the first call: what is measured at the start is then what runs later.
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

    /// <summary>
    /// What one round costs on the CPU that this runs on: the median of some short measurements, a few milliseconds in
    /// all. Other threads that take the CPU meanwhile make it look dearer.
    /// </summary>
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
