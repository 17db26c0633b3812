using System.Diagnostics;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Spate.Sockets;

/// <summary>
/// The counters of one socket. Each call updates the counters once, with interlocked adds, since any number of threads
/// may call. The counters of the two directions are in separate cache lines. Counting takes no lock: each count is
/// exact, but counts that are read together may be from slightly different moments.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal sealed class SocketCounters
{
    private readonly Lock _dropLock = new();
    private ReceiveSide _receive;
    private SendSide _send;
    private long _kernelDrops = -1;
    private uint _lastDropCount;
    private int _stagedCount;
    private long _stagedBytes;
    private long _unreadCount;
    private bool _isStagingOver;

    /// <summary>The unit of the kernel's drop count. Set once, when the socket knows whether it coalesces.</summary>
    public UdpDropUnit KernelDropUnit { get; set; }

    /// <summary>
    /// The lock for every change of the staged datagrams and for <see cref="Read"/>. So a reader of the counters never
    /// sees a datagram that is counted as received but not yet as staged.
    /// </summary>
    public object StagingLock { get; } = new();

    public bool HasReceived => Volatile.Read(ref _receive.Calls) > 0;

    public void CountReceive(int datagramCount, int bufferCount, long bytes)
    {
        Debug.Assert(bufferCount >= 0 && datagramCount >= bufferCount && bytes >= 0);
        Interlocked.Add(ref _receive.Datagrams, datagramCount);

        // The add is skipped if it would add 0, as it always would without coalescing. An interlocked add takes as long
        // as iterating over one or two datagrams of a batch.
        if (datagramCount != bufferCount)
        {
            Interlocked.Add(ref _receive.DatagramsBeyondBuffers, datagramCount - bufferCount);
        }
        Interlocked.Add(ref _receive.Bytes, bytes);
        Interlocked.Increment(ref _receive.Calls);
    }

    /// <summary>
    /// Notes that the datagrams of the last receive are staged in the socket: received, but not yet returned to a
    /// caller. Called under <see cref="StagingLock"/>.
    /// </summary>
    public void Stage(int datagramCount, long bytes)
    {
        Debug.Assert(Monitor.IsEntered(StagingLock) && !_isStagingOver);
        _stagedCount += datagramCount;
        _stagedBytes += bytes;
    }

    /// <summary>Notes that a call takes one of the staged datagrams. Called under <see cref="StagingLock"/>.</summary>
    public void Unstage(int bytes)
    {
        Debug.Assert(Monitor.IsEntered(StagingLock) && !_isStagingOver);
        _stagedCount--;
        _stagedBytes -= bytes;
        Debug.Assert(
            _stagedCount > 0 ? _stagedBytes >= 0 : _stagedCount == 0 && _stagedBytes == 0,
            "A call takes only datagrams that an earlier one has staged.");
    }

    /// <summary>
    /// Notes that no call will take the remaining staged datagrams. Called under <see cref="StagingLock"/>.
    /// </summary>
    public void EndStaging() => _isStagingOver = true;

    /// <summary>
    /// Counts datagrams that a backend had received before anybody asked, and that no call will take: the socket is
    /// closing.
    /// </summary>
    public void CountUnread(int datagramCount) => Interlocked.Add(ref _unreadCount, datagramCount);

    /// <summary>Counts datagrams that were longer than their destination buffer.</summary>
    public void CountTruncated(int datagramCount) => Interlocked.Add(ref _receive.Truncated, datagramCount);

    public void CountSend(int datagramCount, int messageCount, long bytes)
    {
        Debug.Assert(messageCount > 0 && datagramCount >= messageCount, "A message has at least one datagram.");
        Interlocked.Add(ref _send.Datagrams, datagramCount);
        Interlocked.Add(ref _send.Messages, messageCount);
        Interlocked.Add(ref _send.Bytes, bytes);
        Interlocked.Increment(ref _send.Calls);
    }

    public void CountRefused() => Interlocked.Increment(ref _send.Refused);

    public void CountNoBuffers() => Interlocked.Increment(ref _send.NoBuffers);

    public void CountGsoFallback() => Interlocked.Increment(ref _send.GsoFallbacks);

    public void CountIcmpError() => Interlocked.Increment(ref _receive.IcmpErrors);

    public void CountUnknownError() => Interlocked.Increment(ref _receive.UnknownErrors);

    /// <summary>
    /// Sets the count of the system's drops to 0. Called when a socket stops refusing datagrams by a filter: the system
    /// has counted the refused datagrams as drops, although the receive buffer was not full.
    /// </summary>
    /// <inheritdoc cref="UpdateKernelDrops"/>
    public void RestartKernelDrops(Func<Socket, long> read, Socket socket)
    {
        lock (_dropLock)
        {
            long answer = read(socket);
            if (answer < 0) return;
            Interlocked.Exchange(ref _kernelDrops, 0);
            _lastDropCount = (uint)answer;
        }
    }

    /// <summary>
    /// Adds the system's drops since the last call to the count. The system's own count has 32 bits and wraps to 0
    /// (sk_drops in net/core/sock.c), so it must be read at least once per wrap. The lock keeps the readings in order.
    /// </summary>
    /// <param name="read">Reads the system's count; -1 if the system has no count.</param>
    /// <param name="socket">The socket whose drops are read.</param>
    public void UpdateKernelDrops(Func<Socket, long> read, Socket socket)
    {
        lock (_dropLock)
        {
            long answer = read(socket);
            if (answer < 0) return;
            uint count = (uint)answer;
            long known = Math.Max(0, _kernelDrops);
            Interlocked.Exchange(ref _kernelDrops, known + unchecked(count - _lastDropCount));
            _lastDropCount = count;
        }
    }

    public UdpCounters Read()
    {
        lock (StagingLock)
        {
            Debug.Assert(Interlocked.Read(ref _receive.Datagrams) >= _stagedCount, "Received first, then staged.");
            return ReadInLock();
        }
    }

    private UdpCounters ReadInLock() => new()
    {
        DatagramsReceived = Interlocked.Read(ref _receive.Datagrams) - _stagedCount,
        DatagramsUnread = Interlocked.Read(ref _unreadCount) + (_isStagingOver ? _stagedCount : 0),
        BuffersReceived = Interlocked.Read(ref _receive.Datagrams)
            - Interlocked.Read(ref _receive.DatagramsBeyondBuffers),
        BytesReceived = Interlocked.Read(ref _receive.Bytes) - _stagedBytes,
        ReceiveCalls = Interlocked.Read(ref _receive.Calls),
        DatagramsTruncated = Interlocked.Read(ref _receive.Truncated),
        IcmpErrors = Interlocked.Read(ref _receive.IcmpErrors),
        UnknownErrors = Interlocked.Read(ref _receive.UnknownErrors),
        DatagramsSent = Interlocked.Read(ref _send.Datagrams),
        MessagesSent = Interlocked.Read(ref _send.Messages),
        BytesSent = Interlocked.Read(ref _send.Bytes),
        SendCalls = Interlocked.Read(ref _send.Calls),
        DatagramsRefused = Interlocked.Read(ref _send.Refused),
        NoBufferEvents = Interlocked.Read(ref _send.NoBuffers),
        GsoFallbacks = Interlocked.Read(ref _send.GsoFallbacks),
        KernelDrops = Interlocked.Read(ref _kernelDrops) is >= 0 and var drops ? drops : null,
        KernelDropUnit = KernelDropUnit,
    };

    // The size is 128 bytes, two cache lines, because CPUs fetch cache lines in pairs.
    [StructLayout(LayoutKind.Sequential, Size = 128)]
    private struct ReceiveSide
    {
        public long Datagrams;
        public long DatagramsBeyondBuffers;
        public long Bytes;
        public long Calls;
        public long Truncated;
        public long IcmpErrors;
        public long UnknownErrors;
    }

    [StructLayout(LayoutKind.Sequential, Size = 128)]
    private struct SendSide
    {
        public long Datagrams;
        public long Messages;
        public long Bytes;
        public long Calls;
        public long Refused;
        public long NoBuffers;
        public long GsoFallbacks;
    }
}
