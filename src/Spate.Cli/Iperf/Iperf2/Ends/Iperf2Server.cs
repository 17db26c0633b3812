using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf2.Results;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf2.Ends;

/// <summary>
/// The end of UDP tests that counts, by iperf 2's protocol. It has no handshake: any address may send, and nobody is
/// sent more than the answer to a flow's end, never longer than what came, unless
/// <see cref="Iperf2ServerOptions.AllowReverse"/> is set.
/// </summary>
internal sealed class Iperf2Server : IDisposable
{
    // The longest delay before the start of a flow is told.
    private static readonly TimeSpan LookTime = TimeSpan.FromMilliseconds(100);

    private readonly UdpSocket _socket;
    private readonly TimeProvider _time;
    private readonly Iperf2ReverseSet _reverse;
    private readonly Iperf2PeerTable _table;

    private Iperf2Server(Iperf2ServerOptions options, UdpSocket socket, TimeProvider time)
    {
        _socket = socket;
        _time = time;
        _reverse = new Iperf2ReverseSet(options, time);
        _table = new Iperf2PeerTable(options, socket.LocalEndPoint, ReadDrops);
    }

    /// <summary>After this long without a datagram, a flow is over: 10 s.</summary>
    public static TimeSpan Patience { get; } = TimeSpan.FromSeconds(10);

    /// <summary>Where it listens; the port is the real one where the system chose it.</summary>
    public UdpEndPoint LocalEndPoint => _socket.LocalEndPoint;

    public UdpSocket Socket => _socket;

    /// <summary>Flows that are known now, ended ones that may be asked for again included.</summary>
    public int FlowCount
    {
        get
        {
            lock (_table.Gate) return _table.Count;
        }
    }

    /// <exception cref="SocketException">The system refused: the port is busy, the address is not here.</exception>
    public static Iperf2Server Open(Iperf2ServerOptions options, TimeProvider? timeProvider = null)
    {
        options.Validate();

        // Answers leave from the address that was asked; where only one is bound, there is no other.
        bool needsAddress = options.Local.Address.IsUnspecified && IcmpSupport.IsPossible(options.Transport.Backend);
        UdpSocketOptions socketOptions = options.Transport.ToSocketOptions() with
        {
            Metadata = needsAddress ? UdpMetadata.LocalAddress : UdpMetadata.None,
        };
        return new Iperf2Server(
            options, UdpSocket.Bind(options.Local, socketOptions), timeProvider ?? TimeProvider.System);
    }

    /// <summary>Counts flows until cancelled; blocks, and calls the observer on this thread.</summary>
    public void Run(IIperfObserver observer, CancellationToken cancellationToken = default)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        using var answered = new AutoResetEvent(initialState: false);
        using var flow = new Iperf2ReceiveFlow(_socket, _table, _time, () => answered.Set());
        var thread = new FlowThread(TrafficReport.ReceiveKind, flow, cpuIndex: null, _ => stop.Cancel(), stop.Token);
        thread.Start();
        _reverse.IsOpen = true;
        try
        {
            WaitHandle[] handles = [stop.Token.WaitHandle, answered];
            while (!stop.IsCancellationRequested)
            {
                long now = Now();
                long next;
                lock (_table.Gate) next = _table.Look(now);
                TellAll(observer);
                _reverse.Tell(observer);

                // A time below 0 is refused or means for ever, so one that has passed by now is no time at all.
                double leftMilliseconds = Math.Ceiling((next - now) / 1e6);
                WaitHandle.WaitAny(
                    handles, TimeSpan.FromMilliseconds(Math.Clamp(leftMilliseconds, 0, LookTime.TotalMilliseconds)));
            }
        }
        finally
        {
            stop.Cancel();
            _reverse.Stop();
            thread.Join();
        }

        TellAll(observer);
        _reverse.Tell(observer);
        lock (_table.Gate) _table.Stop();
        TellAll(observer);
        if (thread.Failure is { } fault)
        {
            throw fault as TrafficException ?? new TrafficException($"The server failed: {fault.Message}", fault);
        }
    }

    public void Dispose() => _socket.Dispose();

    private void TellAll(IIperfObserver observer)
    {
        // What comes meanwhile waits for the next round: a flood must not hold up what is due by the clock.
        int count;
        lock (_table.Gate) count = _table.Untold;
        for (; count > 0; count--)
        {
            IperfEvent? news;
            lock (_table.Gate)
            {
                if (!_table.TryDequeue(out news)) return;
            }

            if (news is Iperf2Request asked) _reverse.Begin(asked, _table.NextNumber, observer);
            else observer.Tell(news);
        }
    }

    private long Now() => _time.ToNanoseconds(_time.GetTimestamp());

    private long? ReadDrops() => _socket.GetCounters().KernelDrops;
}

internal sealed record Iperf2ServerOptions
{
    public const int MaxMaxFlows = 1024;

    private static readonly TimeSpan MinInterval = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan MaxInterval = TimeSpan.FromDays(1);

    public UdpEndPoint Local { get; init; } = UdpEndPoint.Any(Iperf2ClientOptions.DefaultPort);

    /// <summary>
    /// Flows followed at once, 1 to 1024; each takes up to 64 KiB. When there is no room, a new one takes the place of
    /// one that has ended or of the longest silent one.
    /// </summary>
    public int MaxFlows { get; init; } = 128;

    /// <summary>The time between two reports of a flow, 1 ms to a day; zero for none.</summary>
    public TimeSpan Interval { get; init; }

    /// <summary>
    /// Whether a client that asks for it (<c>-d</c>, <c>-r</c>) is sent a test back. Unsafe where strangers can send:
    /// without a handshake, two datagrams with a forged address make the server send for a minute, at the default
    /// limit 750 MB, to a host that never asked. Four flows run at a time, those to one address at
    /// <see cref="MaxReverseBitsPerSecond"/> at most together.
    /// </summary>
    public bool AllowReverse { get; init; }

    /// <summary>The most bits of payload that are sent back to an address in a second, from 1 on.</summary>
    public long MaxReverseBitsPerSecond { get; init; } = 100_000_000;

    public TransportOptions Transport { get; init; } = new();

    /// <summary>The only address whose flows are followed; the default for all.</summary>
    internal UdpAddress OnlyFrom { get; init; }

    internal int NamedBefore { get; init; }

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxReverseBitsPerSecond, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxFlows, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxFlows, MaxMaxFlows);
        if (Interval == TimeSpan.Zero) return;

        // A flow's first interval may end long before its second datagram arrives, and all up to then are counted.
        ArgumentOutOfRangeException.ThrowIfLessThan(Interval, MinInterval);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(Interval, MaxInterval);
    }
}

/// <summary>Reads the server's socket, counts what came in its table, and answers from the same thread.</summary>
internal sealed class Iperf2ReceiveFlow(UdpSocket socket, Iperf2PeerTable table, TimeProvider time, Action onBatch)
    : ReceiveFlow(0, socket, new DatagramLimit(datagramCount: null), duration: null, time, ledger: null), IDisposable
{
    private readonly SendBatch _replies = socket.CreateSendBatch();

    public void Dispose() => _replies.Dispose();

    protected override BatchSum Account(ReceiveBatch batch, long arrivalNanoseconds)
    {
        var sum = new BatchSum();
        lock (table.Gate)
        {
            foreach (Datagram datagram in batch)
            {
                if (table.Take(datagram, arrivalNanoseconds, _replies)) sum.Add(datagram.Payload.Length);
            }
        }

        if (_replies.Count > 0)
        {
            // What does not leave at once is dropped: the client asks again.
            _ = Socket.Send(_replies, TimeSpan.Zero);
            _replies.Clear();
            onBatch();
        }

        return sum;
    }
}
