using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Spate.Diagnostics;
using Spate.Interop.Windows;

namespace Spate.Sockets.Rio;

/// <summary>
/// The parts of a receiver of the Rio backend, opened and closed in order: signal, memory, completion queue, request
/// queue, and the thread that posts if there is one.
/// </summary>
/// <remarks>
/// As a safe handle, so that a socket which nobody closes gives its memory back too, but also only after the system has
/// let go of it. The thread that posts does not refer to this object, which can so be collected.
/// </remarks>
internal sealed class RioParts<TCalls> : SafeHandle
    where TCalls : struct, IRioCalls
{
    private const int MaxEndMilliseconds = 1000;
    private const int EndSliceMilliseconds = 10;
    private const int EndChunkCount = 64;

    private readonly SocketCounters _counters;
    private readonly SafeSocketHandle _socket;
    private readonly TCalls _calls;
    private readonly RioThread<TCalls>? _thread;

    private RioParts(
        SocketContext context, RioSignal signal, RioMemory memory, RioCompletionQueue<TCalls> completions,
        RioRequestQueue<TCalls> requests, RioThread<TCalls>? thread, TCalls calls)
        : base(invalidHandleValue: 0, ownsHandle: true)
    {
        _counters = context.Counters;
        _socket = context.Socket.SafeHandle;
        Signal = signal;
        Memory = memory;
        Completions = completions;
        Requests = requests;
        _thread = thread;
        _calls = calls;
        SetHandle(completions.Queue);
    }

    /// <inheritdoc/>
    public override bool IsInvalid => handle == 0;

    public RioSignal Signal { get; }

    public RioMemory Memory { get; }

    public RioCompletionQueue<TCalls> Completions { get; }

    public RioRequestQueue<TCalls> Requests { get; }

    /// <summary>Opens everything and posts all slots.</summary>
    /// <exception cref="SocketException">The system refused memory.</exception>
    /// <exception cref="PlatformNotSupportedException">The socket takes no Registered I/O.</exception>
    public static RioParts<TCalls> Open(SocketContext context, RioShape shape, TCalls calls)
    {
        var signal = new RioSignal(context.Options.NotifiesBy);
        var memory = new RioMemory(shape);
        RioCompletionQueue<TCalls>? completions = null;
        try
        {
            memory.Register(calls);
            completions = new RioCompletionQueue<TCalls>(shape.SlotCount, signal, calls);
            bool hasControls = context.Options.Metadata != UdpMetadata.None;
            var requests = new RioRequestQueue<TCalls>(memory, !context.IsConnected, hasControls, calls);
            requests.Open(context.Socket.Handle, completions.Queue);
            RioThread<TCalls>? thread = context.Options.PostsOnThread ? new(requests) : null;
            var parts = new RioParts<TCalls>(context, signal, memory, completions, requests, thread, calls);

            // A later receive posts the slots that the system refuses now.
            requests.Post([]);
            return parts;
        }
        catch
        {
            // Nothing was posted yet.
            memory.Deregister(calls);
            completions?.Close();
            memory.Free();
            signal.Dispose();
            throw;
        }
    }

    /// <summary>Posts the slots of completions that were taken and copied.</summary>
    public void PostAgain(ReadOnlySpan<RIORESULT> taken)
    {
        if (taken.IsEmpty) return;
        Requests.OnTaken(taken.Length);
        Span<int> slotIndexes = stackalloc int[taken.Length];
        for (int i = 0; i < taken.Length; i++) slotIndexes[i] = (int)taken[i].RequestContext;
        if (_thread is { } thread) thread.Give(slotIndexes);
        else Requests.Post(slotIndexes);
    }

    /// <summary>Tries posts again that have failed. Returns 0, or the error.</summary>
    public int Repost() => Requests.NeedsPost ? Requests.Post([]) : 0;

    /// <summary>
    /// Closes the socket, waits until the system has ended all requests, and then frees their memory. If the system has
    /// not ended them in a second, or the queue is corrupt, the memory stays allocated: the system may still write to
    /// it. Runs after the last call has returned.
    /// </summary>
    protected override bool ReleaseHandle()
    {
        _thread?.Dispose();
        _socket.Dispose();
        if (!EndRequests())
        {
            SpateEventSource.Log.RegisteredMemoryKept(Requests.PostedCount);
            return false;
        }

        Memory.Deregister(_calls);
        Completions.Close();
        Memory.Free();
        Signal.Dispose();
        return true;
    }

    private bool EndRequests()
    {
        Span<RIORESULT> results = stackalloc RIORESULT[EndChunkCount];
        long start = Stopwatch.GetTimestamp();
        try
        {
            while (Requests.PostedCount > 0)
            {
                int found = Completions.Take(results);
                Requests.OnTaken(found);
                foreach (ref readonly RIORESULT result in results[..found])
                {
                    if (result.Status == 0) _counters.CountUnread(1);
                }

                if (found > 0) continue;
                if (Stopwatch.GetElapsedTime(start).TotalMilliseconds >= MaxEndMilliseconds) return false;
                bool isAnnounced = Completions.Announce();
                Signal.Wait(isAnnounced ? EndSliceMilliseconds : 1);
            }

            return true;
        }
        catch (SocketException)
        {
            // The queue is corrupt: nothing reports any more which memory the system still uses.
            return false;
        }
    }
}
