using System.Diagnostics.Tracing;
using Spate.Escaping;

namespace Spate.Diagnostics;

/// <summary>
/// The event source "Spate", for rare events: GSO was switched off for a destination, a socket fell back to another
/// backend, a buffer was granted only in part, a receive failed for an unknown reason, a handler threw, a closed socket
/// kept its registered memory, or a close met an exception. Each event is written at most once in 10 s: per socket
/// (GsoFallback, UnknownReceiveError), per process (BufferRefused, BackendFellBack), or per server and type of
/// exception (HandlerFaulted). The count of an event is the number of occurrences since the event was last written.
/// RegisteredMemoryKept and CloseFaulted are written once for each socket.
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
        Message = "GSO fallback of {0}: messages were refused ({1}); it gets plain datagrams. {2} such events.")]
    public void GsoFallback(string peer, string reason, long count) => WriteEvent(1, peer, reason, count);

    [Event(
        2,
        Level = EventLevel.Warning,
        Message = "The {0} buffer: {1} bytes requested, {2} granted. {3} such events.")]
    public void BufferRefused(string direction, int askedBytes, int grantedBytes, long count) =>
        WriteEvent(2, direction, askedBytes, grantedBytes, count);

    [Event(3, Level = EventLevel.Warning, Message = "A receive failed with {0}; the loop continues. {1} such events.")]
    public void UnknownReceiveError(string reason, long count) => WriteEvent(3, reason, count);

    [Event(4, Level = EventLevel.Error, Message = "The handler of shard {0} threw {1}: {2}. {3} such events.")]
    private void HandlerFaulted(int shardIndex, string kind, string message, long count) =>
        WriteEvent(4, shardIndex, kind, message, count);

    [Event(5, Level = EventLevel.Warning, Message = "A socket fell back to {0}: {1}. {2} such events.")]
    public void BackendFellBack(string backend, string reason, long count) => WriteEvent(5, backend, reason, count);

    [Event(
        6,
        Level = EventLevel.Error,
        Message = "A closed socket of the Rio backend keeps its memory: Windows has not ended {0} receives.")]
    public void RegisteredMemoryKept(int receiveCount) => WriteEvent(6, receiveCount);

    [Event(7, Level = EventLevel.Error, Message = "The close of a socket met {0}: {1}. The socket is closed.")]
    private void CloseFaulted(string kind, string message) => WriteEvent(7, kind, message);

    /// <summary>
    /// Reports an exception that the close of a socket met: of a synchronous continuation or of the backend. Never
    /// throws.
    /// </summary>
    [NonEvent]
    public static void ReportCloseFault(Exception fault)
    {
        string message;
        try
        {
            message = fault.Message;
        }
        catch (Exception)
        {
            // The property is code of the exception.
            message = "";
        }

        Log.CloseFaulted(
            LogSanitizer.Clean(fault.GetType().Name, MaxTextChars), LogSanitizer.Clean(message, MaxTextChars));
    }

    /// <summary>
    /// Reports an exception that a handler threw. The message of the exception may quote network data, so the message
    /// is shortened and sanitized. Reading the message runs code of the exception; if that code throws, this method
    /// throws.
    /// </summary>
    [NonEvent]
    public static void ReportHandlerFault(int shardIndex, Exception fault, long count) => Log.HandlerFaulted(
        shardIndex,
        LogSanitizer.Clean(fault.GetType().Name, MaxTextChars),
        LogSanitizer.Clean(fault.Message, MaxTextChars),
        count);
}
