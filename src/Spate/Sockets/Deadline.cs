using System.Diagnostics;

namespace Spate.Sockets;

/// <summary>The time limit of a call and its remaining milliseconds: -1 waits forever, 0 does not wait.</summary>
internal readonly struct Deadline
{
    private readonly TimeProvider _time;
    private readonly long _startTimestamp;
    private readonly int _timeoutMilliseconds;

    public Deadline(TimeProvider time, int timeoutMilliseconds)
    {
        Debug.Assert(timeoutMilliseconds >= Timeout.Infinite);
        _time = time;
        _timeoutMilliseconds = timeoutMilliseconds;
        _startTimestamp = timeoutMilliseconds > 0 ? time.GetTimestamp() : 0;
    }

    /// <summary>The shorter of two timeouts, the first of which may be infinite (-1).</summary>
    public static int Shorter(int timeoutMilliseconds, int otherMilliseconds) =>
        timeoutMilliseconds < 0 ? otherMilliseconds : Math.Min(timeoutMilliseconds, otherMilliseconds);

    public int RemainingMilliseconds
    {
        get
        {
            if (_timeoutMilliseconds <= 0) return _timeoutMilliseconds;
            double elapsed = _time.GetElapsedTime(_startTimestamp).TotalMilliseconds;

            // Rounded up: a wait that ends too early would only have to be repeated.
            return (int)Math.Max(0, Math.Ceiling(_timeoutMilliseconds - elapsed));
        }
    }
}
