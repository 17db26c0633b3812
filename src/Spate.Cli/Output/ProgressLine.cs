namespace Spate.Cli.Output;

/// <summary>
/// Says on stderr how far a run is: one line that is rewritten on a terminal, a plain line now and then elsewhere.
/// </summary>
internal sealed class ProgressLine(Streams streams, TimeProvider time) : IDisposable
{
    private const string EraseLine = "\r\u001b[2K";

    // A log file wants signs of life, not a line a tick.
    private static readonly TimeSpan _plainInterval = TimeSpan.FromSeconds(5);

    private readonly Lock _lock = new();
    private long _lastTimestamp;
    private bool _isShown;

    public void Show(string text)
    {
        lock (_lock)
        {
            string line = SafeText.Clean(text);
            if (streams.ErrorIsTerminal)
            {
                streams.Error.Write(EraseLine + line);
                _isShown = true;
            }
            else if (_lastTimestamp == 0 || time.GetElapsedTime(_lastTimestamp) >= _plainInterval)
            {
                streams.Error.WriteLine(line);
                _lastTimestamp = time.GetTimestamp();
            }
        }
    }

    /// <summary>Takes the line away, so that what is printed next stands alone.</summary>
    public void Clear()
    {
        lock (_lock)
        {
            if (_isShown)
            {
                streams.Error.Write(EraseLine);
                _isShown = false;
            }
        }
    }

    public void Dispose() => Clear();
}
