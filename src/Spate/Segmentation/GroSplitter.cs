using System.Diagnostics;

namespace Spate.Segmentation;

/// <summary>
/// Splits a coalesced buffer into its datagrams. The segment size comes from outside the process. So the bounds are
/// inside the buffer for any segment size, even a negative or huge one.
/// </summary>
internal static class GroSplitter
{
    /// <summary>The number of datagrams in the buffer: at least 1, because an empty datagram counts.</summary>
    /// <param name="totalBytes">The number of received bytes; a negative number counts as 0.</param>
    /// <param name="segmentBytes">
    /// The distance between the starts of two datagrams. If it is 0 or less, or not smaller than the total, the buffer
    /// is one datagram.
    /// </param>
    public static int Count(int totalBytes, int segmentBytes)
    {
        if (IsSingle(totalBytes, segmentBytes)) return 1;
        int count = ((totalBytes - 1) / segmentBytes) + 1;
        Debug.Assert(
            (long)(count - 1) * segmentBytes < totalBytes && totalBytes <= (long)count * segmentBytes,
            "All datagrams but the last have the segment size, and the last is not empty.");
        return count;
    }

    /// <summary>
    /// The position of a datagram in the buffer. An index without a datagram gives 0 bytes at the end of the buffer.
    /// </summary>
    public static void Bounds(
        int totalBytes, int segmentBytes, int index, out int offsetBytes, out int lengthBytes)
    {
        int endBytes = Math.Max(totalBytes, 0);
        int strideBytes = IsSingle(totalBytes, segmentBytes) ? endBytes : segmentBytes;
        long startBytes = (long)index * strideBytes;
        if (index < 0 || startBytes > endBytes) startBytes = endBytes;

        offsetBytes = (int)startBytes;
        lengthBytes = Math.Min(strideBytes, endBytes - offsetBytes);
        Debug.Assert(offsetBytes >= 0 && lengthBytes >= 0 && offsetBytes + lengthBytes <= endBytes);
    }

    private static bool IsSingle(int totalBytes, int segmentBytes) =>
        segmentBytes <= 0 || segmentBytes >= totalBytes;
}
