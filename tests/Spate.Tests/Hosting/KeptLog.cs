using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace Spate.Tests.Hosting;

/// <summary>Keeps what is logged: event id, level and text.</summary>
internal sealed class KeptLog : ILoggerProvider, ILogger
{
    private readonly ConcurrentQueue<(int Id, LogLevel Level, string Text)> _lines = new();

    /// <summary>The event at which this logger throws, after it has kept the line, as one on a full disk may.</summary>
    public int? BrokenId { get; init; }

    public IReadOnlyList<(int Id, LogLevel Level, string Text)> Lines => [.. _lines];

    public IEnumerable<string> Of(int id) => Lines.Where(line => line.Id == id).Select(line => line.Text);

    public ILogger CreateLogger(string categoryName) =>
        categoryName.StartsWith("Spate", StringComparison.Ordinal) ? this : new KeptLog();

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(
        LogLevel logLevel,
        EventId eventId,
        TState state,
        Exception? exception,
        Func<TState, Exception?, string> formatter)
    {
        _lines.Enqueue((eventId.Id, logLevel, formatter(state, exception)));
        if (eventId.Id == BrokenId) throw new IOException("No space left on device.");
    }

    public void Dispose()
    {
    }
}
