using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using Spate.Sockets;

namespace Spate.Waiting;

/// <summary>A set of entries for which others wait: <see cref="Peek"/> and <see cref="EventWait"/>.</summary>
internal interface IReportSink
{
    /// <summary>Reports events that were requested, each request once.</summary>
    void Report(EventEntry entry, ReadyEvents happened);
}

/// <summary>
/// Waits for one socket by means of the runtime: an asynchronous receive of one byte peeks at the next datagram without
/// taking it. A longer datagram is reported as truncated or as MessageSize; both mean that a datagram is there. A send
/// that finds the buffer full waits on a thread of the pool, which is rare with UDP.
/// </summary>
internal sealed class Peek
{
    private const int SendWaitMicroseconds = 100_000;

    private static readonly ConditionalWeakTable<SocketContext, SocketCloser> Closers = [];

    private readonly IReportSink _set;
    private readonly EventEntry _entry;
    private readonly Action _end;
    private readonly byte[] _peeked = GC.AllocateArray<byte>(1, pinned: true);
    private readonly SocketAddress _address;
    private ConfiguredValueTaskAwaitable<int>.ConfiguredValueTaskAwaiter _pending;

    public Peek(IReportSink set, EventEntry entry)
    {
        SocketContext context = entry.Context!;
        _set = set;
        _entry = entry;
        _address = new SocketAddress(context.Socket.AddressFamily);

        // The delegate is created once and the awaiter is kept in a field, because an async method would allocate
        // its state at every wait.
        _end = End;
        Closers.GetValue(context, static context => new SocketCloser(context.Socket));
    }

    /// <summary>Cancels the running peek. Replaced when it is used, under the lock of the set.</summary>
    public CancellationTokenSource Stop { get; set; } = new();

    /// <summary>Waits for each event; called once for each request.</summary>
    public void Start(ReadyEvents events, CancellationToken stop)
    {
        if ((events & ReadyEvents.Readable) != ReadyEvents.None) StartReading(stop);
        if ((events & ReadyEvents.Writable) != ReadyEvents.None)
        {
            ThreadPool.UnsafeQueueUserWorkItem(static peek => peek.WaitWritable(), this, preferLocal: false);
        }
    }

    private void StartReading(CancellationToken stop)
    {
        try
        {
            // The awaiter is kept in a field, and its result is taken exactly once, as rule CA2012 requires.
#pragma warning disable CA2012
            if (_entry.Context is { } context)
            {
                _pending = context.Socket.ReceiveFromAsync(_peeked, SocketFlags.Peek, _address, stop)
                    .ConfigureAwait(false).GetAwaiter();
            }
#pragma warning restore CA2012
        }
        catch (Exception fault) when (IsExpected(fault))
        {
            NoteIcmpError(fault);
        }

        if (_pending.IsCompleted) End();
        else _pending.UnsafeOnCompleted(_end);
    }

    private void WaitWritable()
    {
        try
        {
            _entry.Context?.Socket.Poll(SendWaitMicroseconds, SelectMode.SelectWrite);
        }
        catch (Exception fault) when (IsExpected(fault))
        {
            // The next send gets the same error and reports it.
        }

        _set.Report(_entry, ReadyEvents.Writable);
    }

    private void End()
    {
        // The awaiter references the socket, which must not outlive the peek.
        ConfiguredValueTaskAwaitable<int>.ConfiguredValueTaskAwaiter ended = _pending;
        _pending = default;
        try
        {
            ended.GetResult();
        }
        catch (Exception fault) when (IsExpected(fault))
        {
            // MessageSize means success: a datagram longer than the one-byte buffer is there. The next receive will
            // get and report any other error. If the peek was cancelled, nobody waits.
            NoteIcmpError(fault);
        }

        _set.Report(_entry, ReadyEvents.Readable);
    }

    // Counts and notes an ICMP error. The system reports it only once: a receive after the peek does not get it
    // again.
    private void NoteIcmpError(Exception fault)
    {
        SocketError? error = (fault as SocketException)?.SocketErrorCode;
        if (error is not (SocketError.ConnectionRefused or SocketError.ConnectionReset)) return;
        _entry.Context?.Counters.CountIcmpError();
        _entry.Context?.NoteIcmpError(error.Value);
    }

    private static bool IsExpected(Exception fault) =>
        fault is SocketException or ObjectDisposedException or OperationCanceledException;
}
