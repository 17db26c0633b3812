using RabbitMQ.Client;

namespace Spate.Gateway.Publishing.Rabbit;

/// <summary>The arguments with which <c>--declare</c> makes streams and queues. Pure.</summary>
internal static class QueueDeclaration
{
    // A stream forgets whole segments: with twenty of them, at most a twentieth more than its limit is kept.
    private const int SegmentsPerStream = 20;
    private const long MinSegmentBytes = 1_000_000;
    private const long MaxSegmentBytes = 100_000_000;

    /// <summary>The arguments of a stream or a queue.</summary>
    /// <param name="kind">What is declared.</param>
    /// <param name="maxLengthBytes">How many bytes it may hold.</param>
    public static Dictionary<string, object?> ArgumentsOf(GatewayQueueKind kind, long maxLengthBytes) =>
        kind == GatewayQueueKind.Stream
            ? new(StringComparer.Ordinal)
            {
                [Headers.XQueueType] = "stream",
                [Headers.XMaxLengthInBytes] = maxLengthBytes,
                [Headers.XStreamMaxSegmentSizeInBytes] =
                    Math.Clamp(maxLengthBytes / SegmentsPerStream, MinSegmentBytes, MaxSegmentBytes),
            }
            : new(StringComparer.Ordinal)
            {
                [Headers.XQueueType] = "quorum",
                [Headers.XMaxLengthInBytes] = maxLengthBytes,

                // Without it, a full queue drops its oldest messages, which were confirmed.
                [Headers.XOverflow] = "reject-publish",
            };
}
