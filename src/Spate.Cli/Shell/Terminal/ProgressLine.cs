using System.Globalization;

namespace Spate.Cli.Shell.Terminal;

/// <summary>The progress of a run: on a terminal one line redrawn in place, elsewhere a line every 5 s.</summary>
internal sealed class ProgressLine(TerminalWriter writer, TimeProvider time) : IDisposable
{
    // Often enough to show in a log file that the run goes on.
    private static readonly TimeSpan PlainInterval = TimeSpan.FromSeconds(5);

    private readonly Lock _lock = new();
    private readonly LiveBlock? _block = writer.CanRedraw ? new LiveBlock(writer) : null;
    private long _lastTimestamp;

    public void Show(string text)
    {
        lock (_lock)
        {
            if (_block is not null)
            {
                _block.Show(writer.Draw(drawn => drawn.Line(text)));
            }
            else if (_lastTimestamp == 0 || time.GetElapsedTime(_lastTimestamp) >= PlainInterval)
            {
                writer.Line(text);
                _lastTimestamp = time.GetTimestamp();
            }
        }
    }

    public void Dispose()
    {
        lock (_lock)
        {
            _block?.Dispose();
        }
    }
}

/// <summary>Shows each step of a run by its text.</summary>
internal sealed class StepProgress<TStep>(TerminalWriter writer, TimeProvider time) : IProgress<TStep>, IDisposable
    where TStep : struct
{
    private readonly ProgressLine _line = new(writer, time);

    public void Report(TStep value) => Show(value.ToString()!);

    public void Show(string text) => _line.Show(text);

    public void Dispose() => _line.Dispose();
}

/// <summary>Lines on a terminal that are redrawn in place.</summary>
/// <param name="writer">The terminal; <see cref="TerminalWriter.CanRedraw"/> must be true.</param>
internal sealed class LiveBlock(TerminalWriter writer) : IDisposable
{
    private int _lineCount;

    /// <param name="text">Whole lines within the page's width, so that the terminal wraps none.</param>
    public void Show(string text)
    {
        writer.Raw(Erasing(_lineCount) + text);
        _lineCount = text.AsSpan().Count('\n');
    }

    /// <summary>Erases the lines, so that the next output takes their place.</summary>
    public void Dispose()
    {
        if (_lineCount > 0) Show("");
    }

    // Moves up to the first of the lines and erases from there on (ECMA-48: CPL, ED).
    private static string Erasing(int lineCount) => lineCount == 0
        ? ""
        : string.Create(CultureInfo.InvariantCulture, $"\u001b[{lineCount}F\u001b[J");
}
