using System.Runtime.InteropServices;

namespace Spate.StandIn;

/// <summary>The stand-in's counts since its last reset: standin_counts of standin.h, which explains each.</summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly record struct ModelCounts(
    long RioReceived,
    long RioDropped,
    long RioTruncated,
    long RioAborted,
    long RioSent,
    long Notifications,
    long SegmentedSends,
    long Segments,
    long RefusedSends,
    long CoalescedReceives,
    long CoalescedDatagrams,
    long SingleReceives,
    long Affinities,
    long Violations);
