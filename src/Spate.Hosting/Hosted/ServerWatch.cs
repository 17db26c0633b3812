using Microsoft.Extensions.Logging;
using Spate.Serving;

namespace Spate.Hosting.Hosted;

/// <summary>
/// Looks at the counters of a running server every 10 s and logs what has grown: at most one line of each kind in that
/// time.
/// </summary>
internal sealed class ServerWatch : IDisposable
{
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(10);

    private readonly string _name;
    private readonly Func<UdpServerStatistics> _read;
    private readonly ILogger _log;
    private readonly TimeProvider _time;
    private readonly Lock _lock = new();
    private readonly ITimer _timer;
    private UdpServerStatistics _last;
    private long _lastLook;

    public ServerWatch(string name, Func<UdpServerStatistics> read, ILogger log, TimeProvider time)
    {
        _name = name;
        _read = read;
        _log = log;
        _time = time;
        _last = read();
        _lastLook = time.GetTimestamp();
        _timer = time.CreateTimer(static watch => ((ServerWatch)watch!).OnTimer(), this, Interval, Interval);
    }

    public void Dispose() => _timer.Dispose();

    /// <summary>Logs what has grown since the last look.</summary>
    public void Look()
    {
        lock (_lock)
        {
            UdpServerStatistics now = _read(), last = _last;
            long timestamp = _time.GetTimestamp();
            double seconds = _time.GetElapsedTime(_lastLook, timestamp).TotalSeconds;
            (_last, _lastLook) = (now, timestamp);
            long kernelDrops = (now.Sockets.KernelDrops ?? 0) - (last.Sockets.KernelDrops ?? 0);
            long channelDrops = now.ChannelDrops - last.ChannelDrops;
            long faulted = now.DatagramsFaulted() - last.DatagramsFaulted();
            long replies = now.RepliesDropped() - last.RepliesDropped();
            if (kernelDrops > 0 || channelDrops > 0 || faulted > 0 || replies > 0)
            {
                _log.Dropping(_name, seconds, kernelDrops, channelDrops, faulted, replies);
            }

            long fallbacks = now.Sockets.GsoFallbacks - last.Sockets.GsoFallbacks;
            if (fallbacks > 0) _log.FellBack(_name, fallbacks, seconds);
            SessionRefusals refused = now.SessionsRefused, earlier = last.SessionsRefused;
            if (refused.Total <= earlier.Total) return;
            _log.SessionsRefused(
                _name,
                seconds,
                refused.Full - earlier.Full,
                refused.ByPrefix - earlier.ByPrefix,
                refused.ByRate - earlier.ByRate);
        }
    }

    // What is thrown on the thread of a timer ends the process, and a logger may throw (a full disk). Nobody is left to
    // be told of it; the next look goes on from here.
    private void OnTimer()
    {
        try
        {
            Look();
        }
        catch (Exception)
        {
        }
    }
}
