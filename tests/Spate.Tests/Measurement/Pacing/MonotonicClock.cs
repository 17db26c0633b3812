using System.Runtime.InteropServices;

namespace Spate.Tests.Measurement.Pacing;

/// <summary>clock_gettime(2), which the product reads through .NET only.</summary>
internal static partial class MonotonicClock
{
    /// <param name="clockid">The clock.</param>
    /// <param name="tp">Receives seconds and nanoseconds.</param>
    [LibraryImport("libc")]
    internal static partial int clock_gettime(int clockid, Span<long> tp);
}
