namespace Spate.Segmentation;

/// <summary>The limits of one GSO message.</summary>
/// <param name="MaxSegmentCount">The most segments in a GSO message; 1 or less switches segmentation off.</param>
/// <param name="MaxTotalBytes">
/// The most payload bytes in a GSO message; a larger datagram is a GSO message of its own.
/// </param>
/// <param name="MaxIovecCount">The most iovecs in a GSO message.</param>
internal readonly record struct GsoLimits(int MaxSegmentCount, int MaxTotalBytes, int MaxIovecCount)
{
    /// <summary>
    /// UDP_MAX_SEGMENTS of Linux up to 6.8 (include/linux/udp.h). Later kernels take 128, but programs cannot read that
    /// constant from the kernel.
    /// </summary>
    public const int DefaultMaxSegmentCount = 64;

    /// <summary>
    /// Less than the 65,507 bytes of an IPv4 datagram. The loopback interface splits a GSO message of 65,494 bytes or
    /// more into single datagrams, because the headers count against the interface's gso_max_size of 65,536.
    /// </summary>
    public const int DefaultMaxTotalBytes = 65_000;

    /// <summary>
    /// As many iovecs as segments: if datagrams of several peers alternate, each segment may need its own iovec, and
    /// the number of iovecs must not end a GSO message early. UIO_MAXIOV allows 1024 per message. MAX_SKB_FRAGS (17)
    /// sets no limit, because UDP copies the payload and does not map it.
    /// </summary>
    public const int DefaultMaxIovecCount = DefaultMaxSegmentCount;

    public static GsoLimits Default { get; } =
        new(DefaultMaxSegmentCount, DefaultMaxTotalBytes, DefaultMaxIovecCount);

    /// <summary>With these limits every datagram is a GSO message of its own, in the order given.</summary>
    public static GsoLimits Unsegmented { get; } = new(1, DefaultMaxTotalBytes, 1);
}
