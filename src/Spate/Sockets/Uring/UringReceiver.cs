using System.Diagnostics;
using Spate.Buffers;

namespace Spate.Sockets.Uring;

/// <summary>
/// The receiver of the Uring backend (Linux): receives by a multishot recvmsg request on an io_uring. Arming starts
/// that request; reaping takes its completions. In a ring of one thread, that thread does both. Otherwise any thread
/// may do both, and the kernel runs completions on the thread that armed last. If that thread has ended, the next
/// receive arms again.
/// </summary>
internal sealed class UringReceiver<TCalls> : Receiver, IDisposable
    where TCalls : struct, IUringCalls
{
    private const int MaxEndMilliseconds = 1000;

    private readonly MultishotReceive<TCalls> _request;
    private readonly WakeEvent _wake;
    private readonly ReceiveFaults _faults;
    private readonly bool _readsInfo;
    private Thread? _owner;

    private UringReceiver(
        SocketContext context, ReceiverTraits traits, MultishotReceive<TCalls> request, WakeEvent wake)
        : base(context, traits)
    {
        _request = request;
        _wake = wake;
        _faults = new ReceiveFaults(context);
        _readsInfo = context.Options.Metadata != UdpMetadata.None;
        context.Errors.ReceivesHearEach = true;
    }

    /// <summary>
    /// Whether the ring is a ring of one thread, so that the kernel can defer completions until that thread enters the
    /// ring.
    /// </summary>
    public bool IsDeferred => _request.IsOneThread;

    /// <summary>The receive request of the ring, for tests.</summary>
    internal MultishotReceive<TCalls> Request => _request;

    // Compares thread objects, since thread ids are reused.
    private bool IsOwner => ReferenceEquals(_owner, Thread.CurrentThread);

    /// <param name="context">The context of the socket.</param>
    /// <param name="coalesces">Whether the kernel may hand over coalesced buffers.</param>
    /// <param name="shape">The sizes of the ring.</param>
    /// <param name="calls">The real system calls, or calls that fail on purpose.</param>
    /// <exception cref="UringRefusedException">The system refuses a ring.</exception>
    public static UringReceiver<TCalls> Open(SocketContext context, bool coalesces, UringShape shape, TCalls calls)
    {
        bool hasOwner = context.Options.SingleReader;
        var wake = new WakeEvent();
        MultishotReceive<TCalls>? request = null;
        try
        {
            request = new MultishotReceive<TCalls>(context, hasOwner, coalesces, shape, calls);
            if (request.IsOneThread) request.SignalTo(wake.Descriptor);
            return new UringReceiver<TCalls>(context, TraitsOf(request, wake, hasOwner, coalesces), request, wake);
        }
        catch
        {
            request?.Dispose();
            wake.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public override ReceiveSlots CreateSlots(int slotCount, int slotBytes, int firstBytes) =>
        new(slotCount, slotBytes, firstBytes < slotBytes ? firstBytes : Math.Max(slotBytes, _request.BufferBytes));

    /// <inheritdoc/>
    public override ReceiveStatus Receive(ReceiveSlots slots, int timeoutMilliseconds)
    {
        RequireOwner();
        int errno = 0;
        if (!Context.IsClosed && (TryReap(slots, out errno) || (errno == 0 && TryAsk(slots, out errno))))
        {
            return ReceiveStatus.Received;
        }
        return ReceiveLater(slots, errno, timeoutMilliseconds);
    }

    /// <inheritdoc/>
    public override ReceiveStatus ReceiveOne(
        Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram) =>
        throw new NotSupportedException("A ring's buffers hold the datagrams, so single ones are staged.");

    /// <inheritdoc/>
    public override ReceiveStatus WaitReadable(int timeoutMilliseconds)
    {
        RequireOwner();
        if (Context.IsClosed) return Leave();
        _request.Arm(submits: true);
        if (_request.HasNews) return ReceiveStatus.Received;
        if (timeoutMilliseconds == 0)
        {
            EmptyErrorQueue();
            return Context.IsClosed ? ReceiveStatus.Closed : ReceiveStatus.TimedOut;
        }

        bool isReady = Wait(timeoutMilliseconds);
        if (Context.IsClosed) return Leave();
        return isReady ? ReceiveStatus.Received : ReceiveStatus.TimedOut;
    }

    /// <inheritdoc/>
    public override bool PrepareToWait()
    {
        if (_request.IsOneThread && !IsOwner)
        {
            // Only the owner thread may arm the ring. This signal wakes the owner; its next receive arms the ring.
            _wake.Set();
            return true;
        }

        RequireOwner();
        _request.Arm(submits: true);
        if (_request.HasNews && _request.IsOneThread) _wake.Set();
        return !_request.HasFailed;
    }

    /// <inheritdoc/>
    public override void RequireOwner()
    {
        if (!Traits.NeedsOneThread || IsOwner) return;
        if (Interlocked.CompareExchange(ref _owner, Thread.CurrentThread, null) is null) return;
        throw new InvalidOperationException(
            "The socket was opened with SingleReader, and another thread has received on it: "
            + "receive on that one, or open the socket without the option.");
    }

    /// <inheritdoc/>
    public override void Wake() => _wake.Set();

    /// <inheritdoc/>
    public override void EndReceiving()
    {
        if (_request.IsOneThread && !IsOwner) return;
        _request.Cancel();
        long start = Environment.TickCount64;
        while (!_request.DropCompletions() && Environment.TickCount64 - start < MaxEndMilliseconds)
        {
            if (_request.IsOneThread) _request.Enter();
            else Thread.Sleep(1);
        }
    }

    /// <inheritdoc/>
    public override void Close()
    {
        // The order matters: until a request has ended, it keeps the socket open, and with it the port
        // (io_uring_cancelation.7). If another thread owns the ring, the kernel ends the request only after the ring's
        // close. That takes a moment, for which ReleaseWatch waits.
        try
        {
            EndReceiving();
        }
        finally
        {
            using var release = new ReleaseWatch(Context.Descriptor);
            Dispose();
            Context.Socket.Dispose();
            release.Wait(MaxEndMilliseconds, isOthers: _request.IsOneThread && !IsOwner);
        }
    }

    /// <summary>Closes only the ring and the wake event. <see cref="Close"/> ends the request before that.</summary>
    public void Dispose()
    {
        _request.Dispose();
        _wake.Dispose();
    }

    private static ReceiverTraits TraitsOf(
        MultishotReceive<TCalls> request, WakeEvent wake, bool hasOwner, bool coalesces) => new()
        {
            PollDescriptor = request.IsOneThread ? wake.Descriptor : request.Descriptor,
            NeedsOneThread = hasOwner,
            Coalesces = coalesces,
            TakesSeveral = true,

            // A receive that leaves room in the batch does not mean that the queue is empty. Completions arrive in
            // portions, and only the next receive retries a request that could not be armed again.
            ShortMeansDrained = false,
        };

    private bool TryReap(ReceiveSlots slots, out int errno)
    {
        int count = _request.Reap(slots, out int truncatedCount, out errno);
        if (Context.MayQueueErrors && _request.TakeQueuedErrors()) EmptyErrorQueue();
        if (count == 0) return false;
        slots.HasInfo = _readsInfo;
        slots.Complete(count);
        Context.Counters.CountReceive(slots.Count, count, slots.ByteCount);
        if (truncatedCount > 0) Context.Counters.CountTruncated(truncatedCount);
        return true;
    }

    // Arms the request and reaps. The kernel runs a new request at once, so this finds the datagrams that are queued.
    private bool TryAsk(ReceiveSlots slots, out int errno)
    {
        errno = 0;
        Ask();
        return _request.HasNews && TryReap(slots, out errno);
    }

    private void Ask()
    {
        Debug.Assert(!_request.IsOneThread || IsOwner, "The kernel refuses any other thread.");
        _request.Arm(submits: !_request.IsOneThread);
        if (_request.IsOneThread) _request.Enter();
    }

    /// <summary>
    /// Continues a receive whose request found nothing, or ended with an error before it checked the datagram queue:
    /// waits and reaps again until a datagram, the timeout or Close ends the receive.
    /// </summary>
    private ReceiveStatus ReceiveLater(ReceiveSlots slots, int errno, int timeoutMilliseconds)
    {
        slots.Forget();
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        ReceiveBackOff backOff = default;
        bool hasAsked = errno == 0;
        bool mustAsk = !hasAsked || !_request.IsUnderWay;
        while (true)
        {
            if (Context.IsClosed) return Leave();
            if (errno == 0) backOff.OnEmpty();
            else if (_faults.Handle(errno, deadline, ref backOff) is { } status) return status;
            int remaining = deadline.RemainingMilliseconds;
            if (remaining == 0 && hasAsked)
            {
                EmptyErrorQueue();
                return ReceiveStatus.TimedOut;
            }

            if (mustAsk) Ask();
            if (!_request.HasNews)
            {
                // A new request found nothing, so the next error is the first of a new series.
                backOff.OnEmpty();
                if (remaining != 0) Wait(remaining);
            }

            // An error ends a request before the request checks the datagram queue. So after an error the receive
            // starts one more request before it may time out.
            hasAsked = errno == 0;
            mustAsk = true;
            if (Context.IsClosed) return Leave();
            if (TryReap(slots, out errno)) return ReceiveStatus.Received;
        }
    }

    private void EmptyErrorQueue()
    {
        if (Context.MayQueueErrors) Context.Errors.DrainAndCount();
    }

    // Ends a receive because the socket is closed. The owner of a ring of one thread also ends the request, since no
    // other thread can.
    private ReceiveStatus Leave()
    {
        if (_request.IsOneThread) EndReceiving();
        return ReceiveStatus.Closed;
    }

    private bool Wait(int timeoutMilliseconds) => _request.IsOneThread
        ? _wake.Take(timeoutMilliseconds)
        : _wake.WaitFor(_request.Descriptor, timeoutMilliseconds);
}
