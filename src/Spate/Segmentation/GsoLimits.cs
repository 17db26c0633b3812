namespace Spate.Segmentation;

/// <summary>The limits of one GSO message.</summary>
/// <param name="MaxSegmentCount">Most segments of a GSO message; 1 or less switches segmentation off.</param>
/// <param name="MaxTotalBytes">Most payload bytes of a GSO message; a larger datagram is a GSO message of one.</param>
/// <param name="MaxIovecCount">Most iovecs of the message.</param>
internal readonly record struct GsoLimits(int MaxSegmentCount, int MaxTotalBytes, int MaxIovecCount)
{
    /// <summary>
    /// UDP_MAX_SEGMENTS of Linux up to 6.8 (include/linux/udp.h). Later kernels take 128, but the constant cannot be
    /// read from user space.
    /// </summary>
    public const int DefaultMaxSegmentCount = 64;

    /// <summary>
    /// Below the 65,507 bytes of an IPv4 datagram: loopback splits a GSO message of 65,494 bytes or more into single
    /// datagrams, because headers count against its gso_max_size of 65,536.
    /// </summary>
    public const int DefaultMaxTotalBytes = 65_000;

    /// <summary>
    /// As many as there are segments, so that gathering interleaved peers never ends a GSO message early. UIO_MAXIOV
    /// allows 1024 per message; MAX_SKB_FRAGS (17) sets no limit, because UDP copies the payload and does not map it.
    /// </summary>
    public const int DefaultMaxIovecCount = DefaultMaxSegmentCount;

    public static GsoLimits Default { get; } =
        new(DefaultMaxSegmentCount, DefaultMaxTotalBytes, DefaultMaxIovecCount);

    /// <summary>Every datagram is a GSO message of its own, in the order given.</summary>
    public static GsoLimits Unsegmented { get; } = new(1, DefaultMaxTotalBytes, 1);
}
