using Spate.Buffers;

namespace Spate.Sockets.Uring;

/// <summary>
/// Linux: receives by multishot recvmsg on an io_uring, everything else by another backend of the same socket. In a
/// ring of one thread that thread both arms and reaps; otherwise any thread may, and completions are the work of the
/// thread that armed last, or of nobody if it ended, in which case the next receive arms again.
/// </summary>
internal sealed class UringBackend<TCalls> : DatagramBackend, IDisposable
    where TCalls : struct, IUringCalls
{
    private const int EndMilliseconds = 1000;

    private readonly UringReceiver<TCalls> _receiver;
    private readonly DatagramBackend _sender;
    private readonly WakeEvent _wake;
    private readonly ReceiveFaults _faults;
    private readonly bool _readsInfo;
    private readonly bool _hasOwner;
    private Thread? _owner;

    /// <param name="context">The socket's.</param>
    /// <param name="coalescedReceive">Whether the kernel may hand over coalesced buffers.</param>
    /// <param name="sender">Sends, waits for writing and reads the error queue.</param>
    /// <param name="shape">The ring's sizes.</param>
    /// <param name="calls">The system's, or ones that fail on purpose.</param>
    /// <exception cref="UringRefusedException">The system gives no ring.</exception>
    public UringBackend(
        SocketContext context, bool coalescedReceive, DatagramBackend sender, UringShape shape, TCalls calls)
        : base(context)
    {
        _sender = sender;
        _faults = new ReceiveFaults(context, sender.ReadErrorQueue);
        _readsInfo = context.Options.Metadata != UdpMetadata.None;
        CoalescedReceive = coalescedReceive;
        _hasOwner = context.Options.OneReceivingThread;
        _wake = new WakeEvent();
        try
        {
            _receiver = new UringReceiver<TCalls>(
                context, _hasOwner, coalescedReceive, shape, calls);
            if (_receiver.IsOneThread) _receiver.SignalTo(_wake.Descriptor);
        }
        catch
        {
            _receiver?.Dispose();
            _wake.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    public override UdpBackend Kind => UdpBackend.Uring;

    /// <inheritdoc/>
    public override bool CoalescedReceive { get; }

    /// <inheritdoc/>
    public override bool SegmentedSend => _sender.SegmentedSend;

    /// <inheritdoc/>
    public override int ExchangedBytes => _receiver.BufferBytes;

    /// <inheritdoc/>
    public override bool NeedsStaging => true;

    /// <inheritdoc/>
    public override int PollDescriptor => _receiver.IsOneThread ? _wake.Descriptor : _receiver.Descriptor;

    /// <inheritdoc/>
    public override bool PollsByEdge => _receiver.IsOneThread;

    /// <summary>Whether the kernel does its part only when the one receiving thread asks.</summary>
    internal bool IsDeferred => _receiver.IsOneThread;

    /// <summary>For tests.</summary>
    internal UringReceiver<TCalls> Receiver => _receiver;

    /// <inheritdoc/>
    public override ReceiveStatus Receive(ReceiveBatch batch, int timeoutMilliseconds)
    {
        RequireOwner();
        batch.BeginFill();
        var deadline = new Deadline(Context.Options.TimeProvider, timeoutMilliseconds);
        ReceiveBackOff backOff = default;
        bool hasAsked = false;
        while (true)
        {
            if (Context.IsClosed) return Leave();
            int count = _receiver.Reap(batch, out int truncatedCount, out int errno);
            if (Context.MayQueueErrors && _receiver.TakeQueuedErrors()) _sender.WaitReadable(timeoutMilliseconds: 0);
            if (count > 0)
            {
                Complete(batch, count, truncatedCount);
                return ReceiveStatus.Received;
            }

            if (errno == 0) backOff.OnEmpty();
            else if (_faults.Handle(errno, deadline, ref backOff) is { } status) return status;
            int remaining = deadline.RemainingMilliseconds;
            if (remaining == 0 && hasAsked)
            {
                if (Context.MayQueueErrors) _sender.WaitReadable(timeoutMilliseconds: 0);
                return ReceiveStatus.TimedOut;
            }

            Ask(remaining, ref backOff);

            // An error ends a request before it looks at the queue, so the one that follows it is waited for too.
            hasAsked = errno == 0;
        }
    }

    /// <inheritdoc/>
    public override ReceiveStatus ReceiveOne(
        Span<byte> buffer, int timeoutMilliseconds, out ReceivedDatagram datagram) =>
        throw new NotSupportedException("A ring's buffers hold the datagrams, so single ones are staged.");

    /// <inheritdoc/>
    public override Type QueueType => _sender.QueueType;

    /// <inheritdoc/>
    public override SendQueue CreateQueue(int capacity, int bufferBytes) => _sender.CreateQueue(capacity, bufferBytes);

    /// <inheritdoc/>
    public override SendResult Send(SendQueue queue, int timeoutMilliseconds) =>
        _sender.Send(queue, timeoutMilliseconds);

    /// <inheritdoc/>
    public override SendResult SendOne(
        ReadOnlySpan<byte> payload, in UdpEndPoint peer, int timeoutMilliseconds) =>
        _sender.SendOne(payload, peer, timeoutMilliseconds);

    /// <inheritdoc/>
    public override bool TryReceiveIcmpError(out UdpIcmpError error) => _sender.TryReceiveIcmpError(out error);

    /// <inheritdoc/>
    public override void ReadErrorQueue() => _sender.ReadErrorQueue();

    /// <inheritdoc/>
    public override ReceiveStatus WaitReadable(int timeoutMilliseconds)
    {
        RequireOwner();
        if (Context.IsClosed) return Leave();
        _receiver.Arm(submits: true);
        if (_receiver.HasNews) return ReceiveStatus.Received;
        if (timeoutMilliseconds == 0) return _sender.WaitReadable(timeoutMilliseconds: 0);
        bool isReady = Wait(timeoutMilliseconds);
        if (Context.IsClosed) return Leave();
        return isReady ? ReceiveStatus.Received : ReceiveStatus.TimedOut;
    }

    // Completions come in portions, and a request that could not be renewed is tried again by the next receive only.
    /// <inheritdoc/>
    public override bool ShortMeansDrained => false;

    /// <inheritdoc/>
    public override bool PrepareToWait()
    {
        RequireOwner();
        _receiver.Arm(submits: true);
        if (_receiver.HasNews && _receiver.IsOneThread) _wake.Set();
        return !_receiver.HasFailed;
    }

    // The one thread arms the ring itself, at the first turn, which it is called to.
    /// <inheritdoc/>
    public override void PrepareToPoll()
    {
        if (_receiver.IsOneThread) _wake.Set();
        else PrepareToWait();
    }

    /// <inheritdoc/>
    public override void WakeAll()
    {
        _sender.WakeAll();
        _wake.Set();
    }

    /// <inheritdoc/>
    public override void EndReceiving()
    {
        if (_receiver.IsOneThread && !IsOwner) return;
        _receiver.Cancel();
        long start = Environment.TickCount64;
        while (!_receiver.DropCompletions() && Environment.TickCount64 - start < EndMilliseconds)
        {
            if (_receiver.IsOneThread) _receiver.Enter();
            else Thread.Sleep(1);
        }
    }

    /// <inheritdoc/>
    public override void Close()
    {
        // The order matters: a request holds the socket, and with it the port, until it has ended
        // (io_uring_cancelation.7). Where another thread owns the ring, the kernel ends its request after the ring's
        // close, which takes it a moment.
        try
        {
            EndReceiving();
        }
        finally
        {
            using var release = new ReleaseWatch(Context.Descriptor);
            Dispose();
            Context.Socket.Dispose();
            release.Wait(EndMilliseconds);
        }
    }

    /// <summary>The ring alone; <see cref="Close"/> ends what is under way first.</summary>
    public void Dispose()
    {
        _receiver.Dispose();
        _wake.Dispose();
    }

    /// <inheritdoc/>
    public override bool CanAwaitReceives => !_hasOwner;

    // By the object, since numbers of threads are given again.
    private bool IsOwner => ReferenceEquals(_owner, Thread.CurrentThread);

    /// <inheritdoc/>
    public override void RequireOwner()
    {
        if (!_hasOwner || IsOwner) return;
        if (Interlocked.CompareExchange(ref _owner, Thread.CurrentThread, null) is null) return;
        throw new InvalidOperationException(
            "The socket was opened with OneReceivingThread, and another thread has received on it: "
            + "receive on that one, or open the socket without the option.");
    }

    // The first look costs no wait; only then is there one.
    private void Ask(int remainingMilliseconds, ref ReceiveBackOff backOff)
    {
        _receiver.Arm(submits: !_receiver.IsOneThread);
        if (_receiver.IsOneThread) _receiver.Enter();
        if (_receiver.HasNews) return;

        // The kernel makes a new request's call at once, so it found nothing: the next error is the first in a row.
        backOff.OnEmpty();
        if (remainingMilliseconds != 0) Wait(remainingMilliseconds);
    }

    // The owner ends its request on its way out, since nobody else can.
    private ReceiveStatus Leave()
    {
        if (_receiver.IsOneThread) EndReceiving();
        return ReceiveStatus.Closed;
    }

    private bool Wait(int timeoutMilliseconds) => _receiver.IsOneThread
        ? _wake.Take(timeoutMilliseconds)
        : _wake.WaitFor(_receiver.Descriptor, timeoutMilliseconds);

    private void Complete(ReceiveBatch batch, int count, int truncatedCount)
    {
        batch.HasInfo = _readsInfo;
        batch.EndFill(count, out long bytes);
        Context.Counters.CountReceive(batch.Count, count, bytes);
        if (truncatedCount > 0) Context.Counters.CountTruncated(truncatedCount);
    }
}
