using System.Diagnostics;
using System.Globalization;
using Spate.Interop.Windows;
using Spate.Serving.Lifetime;
using Spate.Sockets;

namespace Spate.Serving.Shards;

/// <summary>
/// A thread of a server, from its start to its end. An exception before the first pass of its loop faults
/// <see cref="Started"/> and <see cref="Ended"/>. A later exception ends the thread and faults <see cref="Ended"/>.
/// </summary>
internal abstract class ServerThread
{
    /// <summary>
    /// A thread that is ending regards its sockets as empty when nothing has arrived for this long. That is enough time
    /// for the kernel to queue the datagrams that it was still processing when the sockets began to refuse others.
    /// </summary>
    private const int QuietMilliseconds = 5;

    [ThreadStatic]
    private static ServerThread? _current;

    private readonly TaskCompletionSource _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly string _name;
    private readonly int _index;
    private readonly int _cpuIndex;
    private BatchSource? _source;
    private bool _drains;
    private Action? _retire;
    private volatile StopDeadline? _end;
    private int _systemThreadId;

    protected ServerThread(ResolvedServerOptions plan, string name, int index)
    {
        Plan = plan;
        _name = name;
        _index = index;
        _cpuIndex = plan.CpuOf(index);
    }

    public Task Started => _started.Task;

    public Task Ended => _ended.Task;

    /// <summary>Whether the thread was started, so that <see cref="Ended"/> will complete.</summary>
    public bool HasStarted { get; private set; }

    /// <summary>The server's options with every default filled in.</summary>
    protected ResolvedServerOptions Plan { get; }

    protected ThreadCounters Counters { get; } = new();

    /// <summary>The source of the thread's batches. Set before the thread runs its loop.</summary>
    protected BatchSource? Source
    {
        get => Volatile.Read(ref _source);
        set => Volatile.Write(ref _source, value);
    }

    /// <summary>Whether the thread is ending and its time for queued datagrams is over.</summary>
    protected bool HasNoTimeLeft => _end is { IsDrainOver: true };

    /// <summary>How long one pass of the loop may wait while the thread is not ending; -1 means forever.</summary>
    protected abstract int PassMilliseconds { get; }

    /// <summary>
    /// Whether the caller runs on this thread. It compares a thread-static field and not thread numbers, because the
    /// system gives the number of an ended thread to another thread.
    /// </summary>
    protected bool IsCallersThread => _current == this;

    protected TimeProvider Time => Plan.Options.Socket.TimeProvider;

    /// <summary>Whether the caller runs on a thread of the server with these options.</summary>
    public static bool IsCurrent(ResolvedServerOptions plan) => _current?.Plan == plan;

    /// <summary>Starts the thread, which calls <paramref name="onEnded"/> after its end.</summary>
    public void Start(Action<ServerThread> onEnded)
    {
        Debug.Assert(!HasStarted);
        new Thread(() => Run(onEnded)) { IsBackground = true, Name = _name }.UnsafeStart();
        HasStarted = true;
    }

    /// <summary>
    /// Does the work of the thread before its first pass on the caller's thread, instead of <see cref="Start"/>. The
    /// package Spate.Testing then calls <see cref="PassHere"/> and <see cref="EndHere"/>. In each of the three methods,
    /// the caller's thread counts as this thread.
    /// </summary>
    public void PrepareHere() => RunHere(Prepare);

    /// <summary>
    /// Runs a pass that does not wait, on the caller's thread. Returns false if no datagrams arrived.
    /// </summary>
    public bool PassHere()
    {
        bool arrived = false;
        RunHere(() => arrived = Pass(0));
        return arrived;
    }

    /// <summary>Runs all last steps on the caller's thread. Throws the first exception of them afterwards.</summary>
    public void EndHere() => RunHere(() =>
    {
        EndingFault fault = new();
        foreach (Action step in LastSteps) fault.Try(step);
        fault.Throw();
    });

    /// <summary>
    /// Asks the thread to end. The thread first handles the queued datagrams of its sockets, until the deadline. A
    /// second call replaces the deadline.
    /// </summary>
    /// <param name="end">The deadline for handling queued datagrams.</param>
    /// <param name="drains">Whether the thread handles queued datagrams. If false, it ends at once.</param>
    /// <param name="retire">Called on the thread before it handles the queued datagrams; null for no call.</param>
    public void End(StopDeadline end, bool drains = true, Action? retire = null)
    {
        _drains = drains;
        _retire ??= retire;
        _end = end;
        Wake();
    }

    public UdpThreadStatistics Read() => Counters.Read() with
    {
        ShardIndex = _index >= 0 ? _index : null,
        SystemThreadId = _systemThreadId > 0 ? _systemThreadId : null,
        Cpu = _cpuIndex >= 0 ? _cpuIndex : null,
        Sleeps = Source?.Sleeps ?? 0,
    };

    /// <summary>Called on the thread before <see cref="Started"/> completes.</summary>
    protected abstract void Prepare();

    /// <summary>
    /// Runs one pass of the loop, which waits at most this long for datagrams. Returns false if none arrived.
    /// </summary>
    protected abstract bool Pass(int timeoutMilliseconds);

    /// <summary>
    /// The steps with which the thread ends, even if <see cref="Prepare"/> has failed. All are run, even if one throws.
    /// </summary>
    protected abstract IEnumerable<Action> LastSteps { get; }

    protected void Wake() => Source?.Wake();

    // A thread of a server has no synchronization context, so the handler must not get that of the caller: its
    // continuations could wait for this very thread.
    private void RunHere(Action work)
    {
        ServerThread? outer = _current;
        SynchronizationContext? context = SynchronizationContext.Current;
        _current = this;
        SynchronizationContext.SetSynchronizationContext(null);
        try
        {
            work();
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(context);
            _current = outer;
        }
    }

    private void Run(Action<ServerThread> onEnded)
    {
        EndingFault fault = new();
        fault.Try(RunLoop);
        foreach (Action step in LastSteps) fault.Try(step);
        if (fault.Exception is { } exception)
        {
            _started.TrySetException(exception);
            _ended.SetException(exception);
        }
        else _ended.SetResult();

        onEnded(this);
    }

    private void RunLoop()
    {
        _current = this;
        _systemThreadId = ReadSystemThreadId();
        Pin();
        Prepare();
        _started.SetResult();
        while (_end is null) Pass(PassMilliseconds);
        _retire?.Invoke();
        if (_drains) Drain();
    }

    private void Drain()
    {
        long lastArrival = Stopwatch.GetTimestamp();
        while (!HasNoTimeLeft)
        {
            if (Pass(1)) lastArrival = Stopwatch.GetTimestamp();
            else if (Stopwatch.GetElapsedTime(lastArrival).TotalMilliseconds > QuietMilliseconds) return;
        }
    }

    private void Pin()
    {
        if (_cpuIndex < 0) return;
        if (ThreadAffinity.TrySetCurrentThreadCpus([_cpuIndex], out string? error)) return;
        throw new InvalidOperationException(error);
    }

    // Returns the thread's number in the system, or 0 if there is no /proc. On Linux it reads a link and does not call
    // gettid(2), because the C library has that function only since glibc 2.30.
    private static int ReadSystemThreadId()
    {
        if (OperatingSystem.IsWindows()) return (int)ProcessThreadsApi.GetCurrentThreadId();
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
