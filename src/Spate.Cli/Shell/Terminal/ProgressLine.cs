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
