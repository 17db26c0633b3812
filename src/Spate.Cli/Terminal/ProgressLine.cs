namespace Spate.Cli.Terminal;

/// <summary>
/// Says how far a run is: one line that is redrawn in place on a terminal, a plain line now and then elsewhere.
/// </summary>
/// <param name="page">Where the progress goes.</param>
/// <param name="time">The clock that spaces plain lines.</param>
internal sealed class ProgressLine(Page page, TimeProvider time) : IDisposable
{
    // A log file wants signs of life, not a line a tick.
    private static readonly TimeSpan PlainInterval = TimeSpan.FromSeconds(5);

    private readonly Lock _lock = new();
    private readonly LiveBlock? _block = page.CanRedraw ? new LiveBlock(page) : null;
    private long _lastTimestamp;

    public void Show(string text)
    {
        lock (_lock)
        {
            if (_block is not null)
            {
                _block.Show(page.Draw(drawn => drawn.Line(text)));
            }
            else if (_lastTimestamp == 0 || time.GetElapsedTime(_lastTimestamp) >= PlainInterval)
            {
                page.Line(text);
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
