using System.Runtime.InteropServices;

namespace Spate.Measurement.Counting;

/// <summary>
/// Datagrams of one stream, size and time of sending with consecutive sequences that one call received, or one
/// announcement.
/// </summary>
/// <param name="First">The first datagram.</param>
/// <param name="Count">The number of datagrams, at least 1.</param>
/// <param name="PayloadBytes">Payload bytes of each.</param>
/// <param name="ArrivalNanoseconds">When the call returned, by the receiver's monotonic clock; 0 if not known.</param>
[StructLayout(LayoutKind.Auto)]
internal readonly record struct SequenceRun(TestDatagram First, int Count, int PayloadBytes, long ArrivalNanoseconds);
