using System.Collections.Concurrent;
using System.Diagnostics.Tracing;

namespace Spate.TestHelpers.Diagnostics;

/// <summary>Collects what the event sources of the libraries write.</summary>
internal sealed class SpateEvents : EventListener
{
    private readonly ConcurrentQueue<(string Name, IReadOnlyList<object?> Payload)> _written = new();

    public IReadOnlyList<(string Name, IReadOnlyList<object?> Payload)> Written => [.. _written];

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name is "Spate" or "Spate.Serving") EnableEvents(eventSource, EventLevel.Verbose);
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData) =>
        _written.Enqueue((eventData.EventName ?? "?", eventData.Payload ?? (IReadOnlyList<object?>)[]));
}
