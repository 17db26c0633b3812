using System.Runtime.InteropServices;

namespace Spate.Measurement.Pacing;

/// <summary>One bucket of a histogram of times. It begins where the one before it ends, the first one at 0.</summary>
/// <param name="BelowMicroseconds">Where the bucket ends: a power of two.</param>
/// <param name="Datagrams">The datagrams in it.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct HistogramBucket(double BelowMicroseconds, long Datagrams);
