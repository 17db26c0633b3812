namespace Spate.Segmentation;

/// <summary>
/// Cuts a coalesced buffer apart. The segment size comes from outside the process, so every value of it, even a
/// negative or huge one, gives bounds inside the buffer.
/// </summary>
internal static class GroSplitter
{
    /// <summary>The datagrams in the buffer: at least one, because an empty datagram is one too.</summary>
    /// <param name="totalBytes">The bytes received; a negative number counts as none.</param>
    /// <param name="segmentBytes">The stride; 0 or less, or the total and more, means a single datagram.</param>
    public static int Count(int totalBytes, int segmentBytes) =>
        IsSingle(totalBytes, segmentBytes) ? 1 : ((totalBytes - 1) / segmentBytes) + 1;

    /// <summary>
    /// The position of a datagram. An index without a datagram gives no bytes, at the end of the buffer.
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
    }

    private static bool IsSingle(int totalBytes, int segmentBytes) =>
        segmentBytes <= 0 || segmentBytes >= totalBytes;
}
