using System.Diagnostics.Tracing;
using Spate.Escaping;

namespace Spate.Diagnostics;

/// <summary>
/// Rare events of the event source "Spate": something was switched off or not granted. At most one event per kind,
/// socket and 10 s; its count is the number of occurrences since the previous event.
/// </summary>
[EventSource(Name = "Spate")]
internal sealed class SpateEventSource : EventSource
{
    public static readonly SpateEventSource Log = new();

    private const int MaxTextChars = 500;

    private SpateEventSource()
    {
    }

    [Event(
        1,
        Level = EventLevel.Warning,
        Message = "GSO messages to {0} were refused ({1}); it gets plain datagrams. {2} such events.")]
    public void GsoFallback(string peer, string reason, long count) => WriteEvent(1, peer, reason, count);

    [Event(2, Level = EventLevel.Warning, Message = "The {0} buffer: {1} bytes asked, {2} granted. {3} such events.")]
    public void BufferRefused(string direction, int askedBytes, int grantedBytes, long count) =>
        WriteEvent(2, direction, askedBytes, grantedBytes, count);

    [Event(3, Level = EventLevel.Warning, Message = "A receive failed with {0}; the loop goes on. {1} such events.")]
    public void UnknownReceiveError(string reason, long count) => WriteEvent(3, reason, count);

    [Event(4, Level = EventLevel.Error, Message = "The handler of shard {0} threw {1}: {2}. {3} such events.")]
    private void HandlerFaulted(int shardIndex, string kind, string message, long count) =>
        WriteEvent(4, shardIndex, kind, message, count);

    [Event(5, Level = EventLevel.Warning, Message = "A socket fell back to {0}: {1}. {2} such events.")]
    public void BackendFellBack(string backend, string reason, long count) => WriteEvent(5, backend, reason, count);

    /// <summary>
    /// Reports an exception that a handler threw. Its message may quote network data, so the message is shortened and
    /// sanitized. Reading the message runs code of the exception; an exception from that code is thrown here.
    /// </summary>
    [NonEvent]
    public static void ReportHandlerFault(int shardIndex, Exception fault, long count) => Log.HandlerFaulted(
        shardIndex,
        LogSanitizer.Clean(fault.GetType().Name, MaxTextChars),
        LogSanitizer.Clean(fault.Message, MaxTextChars),
        count);
}
