namespace Spate.Measurement.Traffic;

/// <summary>
/// Tells of what strangers are refused, in a few lines every <see cref="Pause"/>: they may ask all day, and a line for
/// each request would fill the log. Any thread.
/// </summary>
internal sealed class RefusalNotices(TimeProvider time, int maxLines = 1)
{
    public static readonly TimeSpan Pause = TimeSpan.FromSeconds(10);

    private readonly Lock _lock = new();
    private long _hidden;
    private int _lines;
    private long? _firstTicks;

    public Action<string>? OnNotice { get; set; }

    public void Tell(string text)
    {
        lock (_lock)
        {
            if (_firstTicks is not { } first || time.GetElapsedTime(first) >= Pause)
            {
                (_firstTicks, _lines) = (time.GetTimestamp(), 0);
            }
            else if (_lines == maxLines)
            {
                _hidden++;
                return;
            }

            string more = _hidden > 0 ? $" ({_hidden + 1} since the last line)" : "";
            _hidden = 0;
            _lines++;
            OnNotice?.Invoke(text + more);
        }
    }
}
