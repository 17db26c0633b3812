using System.Diagnostics;
using System.Globalization;
using Spate.Serving.Lifetime;

namespace Spate.Serving.Shards;

/// <summary>
/// A thread of a server from its start to its end: tied to its CPU, known by the system's number, ended by
/// <see cref="End"/>. What goes wrong before it runs is thrown by <see cref="Started"/>; what goes wrong later ends the
/// thread and is thrown by <see cref="Ended"/>.
/// </summary>
internal abstract class ServerThread
{
    /// <summary>
    /// After this long without an arrival a socket that gets nothing new is empty: a datagram that the kernel was
    /// about to queue is there by then.
    /// </summary>
    private const int QuietMilliseconds = 5;

    [ThreadStatic]
    private static ServerPlan? _planOfThread;

    private readonly TaskCompletionSource _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ServerPlan _plan;
    private readonly string _name;
    private readonly int _cpuIndex;
    private bool _drains;
    private Action? _retire;
    private volatile EndTime? _end;
    private int _systemThreadId;

    protected ServerThread(ServerPlan plan, string name, int index)
    {
        _plan = plan;
        _name = name;
        _cpuIndex = plan.CpuOf(index);
    }

    public Task Started => _started.Task;

    public Task Ended => _ended.Task;

    /// <summary>Whether there is an end to wait for.</summary>
    public bool HasStarted { get; private set; }

    /// <summary>Whether it ended because nothing was queued for it any more.</summary>
    public bool HasDrained { get; private set; }

    /// <summary>Whether it is ending and the time to handle what is queued is over.</summary>
    protected bool HasNoTimeLeft => _end is { IsDrainOver: true };

    /// <summary>How long a pass may wait while the thread is not ending.</summary>
    protected abstract int PassMilliseconds { get; }

    protected TimeProvider Time => _plan.Options.Socket.TimeProvider;

    /// <summary>Whether the caller runs on a thread of the server that has this plan.</summary>
    public static bool IsCurrent(ServerPlan plan) => _planOfThread == plan;

    public void Start()
    {
        new Thread(Run) { IsBackground = true, Name = _name }.UnsafeStart();
        HasStarted = true;
    }

    /// <summary>
    /// Lets the thread end when what the system has queued for it is handled, or when the time is over. Called again,
    /// it names another time.
    /// </summary>
    /// <param name="end">That time.</param>
    /// <param name="drains">Whether it handles what is queued; otherwise it ends at once.</param>
    /// <param name="retire">Called on the thread first of all.</param>
    public void End(EndTime end, bool drains = true, Action? retire = null)
    {
        _drains = drains;
        _retire ??= retire;
        _end = end;
        Wake();
    }

    public UdpThreadStatistics Read() =>
        ReadTally() with { SystemThreadId = _systemThreadId, CpuIndex = _cpuIndex };

    protected abstract UdpThreadStatistics ReadTally();

    /// <summary>On the thread, before <see cref="Started"/> is complete.</summary>
    protected abstract void Prepare();

    /// <summary>One pass of the thread's loop, waiting at most this long; false if nothing had arrived.</summary>
    protected abstract bool Pass(int timeoutMilliseconds);

    /// <summary>On the thread, at its end, also where <see cref="Prepare"/> failed.</summary>
    protected abstract void Finish();

    protected abstract void Wake();

    private void Run()
    {
        Exception? fault = null;
        try
        {
            _planOfThread = _plan;
            _systemThreadId = ReadSystemThreadId();
            Pin();
            Prepare();
            _started.SetResult();
            while (_end is null) Pass(PassMilliseconds);
            _retire?.Invoke();
            HasDrained = _drains && TryDrain();
        }
        catch (Exception exception)
        {
            fault = exception;
        }

        try
        {
            Finish();
        }
        catch (Exception exception)
        {
            fault ??= exception;
        }

        if (fault is null)
        {
            _ended.SetResult();
            return;
        }

        _started.TrySetException(fault);
        _ended.SetException(fault);
    }

    private bool TryDrain()
    {
        long lastArrival = Stopwatch.GetTimestamp();
        while (!HasNoTimeLeft)
        {
            if (Pass(1)) lastArrival = Stopwatch.GetTimestamp();
            else if (Stopwatch.GetElapsedTime(lastArrival).TotalMilliseconds > QuietMilliseconds) return true;
        }

        return false;
    }

    private void Pin()
    {
        if (_cpuIndex < 0) return;
        if (!ThreadAffinity.TrySet([_cpuIndex], out string? error)) throw new InvalidOperationException(error);
    }

    // 0 where there is no /proc. Reads a link, since gettid(2) came to the C library late (glibc 2.30).
    private static int ReadSystemThreadId()
    {
        if (!OperatingSystem.IsLinux()) return 0;
        try
        {
            string? link = new FileInfo("/proc/thread-self").LinkTarget;
            return int.TryParse(Path.GetFileName(link), CultureInfo.InvariantCulture, out int id) ? id : 0;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return 0;
        }
    }
}
