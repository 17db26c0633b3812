using Spate.Measurement.Arithmetic;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>
/// The part of a test that is the same at both ends. An end sends heartbeats with its counts. It stops sending when it
/// hears nothing. When it has sent everything, it repeats its totals until the other end acknowledges them. When it has
/// heard the other end's totals, it waits a moment for missing datagrams. One thread uses an object.
/// </summary>
internal abstract class TestSession(ControlLink link, TimeProvider time) : IDisposable
{
    /// <summary>
    /// A sender that hears nothing for so long stops (RFC 8085, 3.1.10: no feedback, no traffic). The threads of the
    /// data need a moment to notice: the last datagram leaves within 2 s.
    /// </summary>
    public static readonly TimeSpan SendPatience = TimeSpan.FromSeconds(1.8);

    /// <summary>An end that hears nothing, or no answer, for so long gives the test up.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    /// <summary>What a test may take beyond the time granted to its data: joining, draining, the report.</summary>
    public static readonly TimeSpan SpareTime = TimeSpan.FromSeconds(30);

    /// <summary>How long an end waits for missing datagrams after the other end has announced its totals.</summary>
    public static readonly TimeSpan DrainTime = TimeSpan.FromMilliseconds(500);

    private const int MaxRoundTrips = 65_536;

    private static readonly TimeSpan HeartbeatInterval = TimeSpan.FromMilliseconds(100);

    // Where the other end is not heard, the path may be full both ways: of many heartbeats one comes through.
    private static readonly TimeSpan UrgentHeartbeatInterval = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan UrgentAfter = TimeSpan.FromMilliseconds(300);
    private static readonly TimeSpan FinishTime = TimeSpan.FromMilliseconds(50);

    private readonly Queue<long> _roundTrips = new();
    private readonly long _icmpErrors = link.Socket.GetCounters().IcmpErrors;
    private long _heardTicks = time.GetTimestamp();
    private long _beatTicks = time.GetTimestamp();
    private long _finishTicks;
    private long _firstFinishTicks;
    private long _waitTicks = time.GetTimestamp();
    private TimeSpan _maxWait = SpareTime;
    private string _missing = "has not begun its data";
    private long _announcedTicks;
    private long _echoNanoseconds;
    private long _echoTicks;
    private long _beats;
    private long _lastHeartbeat = -1;
    private byte[]? _finish;
    private bool _hasStoppedUnheard;
    private HostWatch? _watch;

    public Heartbeat Other { get; private set; }

    public IReadOnlyCollection<long> RoundTrips => _roundTrips;

    protected ControlLink Link { get; } = link;

    protected TimeProvider Time { get; } = time;

    /// <summary>The data; null before the start.</summary>
    protected PathTestTraffic? Traffic { get; private set; }

    /// <summary>This end wants the other one to stop sending.</summary>
    protected bool IsStopping { get; set; }

    protected bool IsFinishAcknowledged { get; private set; }

    /// <summary>All data has been sent and received, and both ends know how much it was.</summary>
    protected bool IsDataOver =>
        Traffic is { HasSent: true, HasReceived: true } traffic && (!traffic.Sends || IsFinishAcknowledged);

    private TimeSpan Unheard => Time.GetElapsedTime(_heardTicks);

    public virtual void Dispose()
    {
        Traffic?.Dispose();
        _watch?.Dispose();
    }

    protected abstract void OnMessage(in ControlMessage message);

    /// <summary>Throws <see cref="TrafficException"/> where the other end was not heard, or not in time.</summary>
    protected void Step(TimeSpan longest)
    {
        ThrowIfLate();
        SendHeartbeatWhenDue();
        FinishWhenDue();
        StopReceivingWhenDue();
        TimeSpan wait = TimeSpan.FromTicks(Math.Min(longest.Ticks, UrgentHeartbeatInterval.Ticks));
        bool isHeard = Link.TryReceive(wait, out ControlMessage message);
        _watch?.Tick();
        if (isHeard)
        {
            Take(message);
        }
        else if (Unheard > SendPatience)
        {
            OnSilence();
        }
    }

    /// <summary>Bounds the wait that begins now; the text is what the other end has not done in time.</summary>
    protected void Await(string missing, TimeSpan maxWait) =>
        (_missing, _maxWait, _waitTicks) = (missing, maxWait, Time.GetTimestamp());

    /// <summary>The report of this end, once <see cref="IsDataOver"/>.</summary>
    protected TestEndReport MakeReport() => Traffic!.Report() with
    {
        StoppedUnheard = _hasStoppedUnheard,
        Host = _watch?.Report(),
    };

    /// <summary>Takes over the data, which may start now, and watches the host from now on.</summary>
    protected void Watch(PathTestTraffic traffic)
    {
        Traffic = traffic;
        _watch = new HostWatch(traffic.Sockets, Time);
    }

    private void ThrowIfLate()
    {
        bool isFinishIgnored = _finish is not null && !IsFinishAcknowledged
            && Time.GetElapsedTime(_firstFinishTicks) > Patience;
        if (!isFinishIgnored && Time.GetElapsedTime(_waitTicks) <= _maxWait) return;

        (string missing, TimeSpan waited) = isFinishIgnored
            ? ("has not acknowledged how much was sent", Patience)
            : (_missing, _maxWait);
        throw new TrafficException($"{Link.Socket.Peer} {missing} within {waited.TotalSeconds:0.##} s");
    }

    private void OnSilence()
    {
        // The other end's system says that its port is closed, so nobody will be heard there any more.
        if (Link.Socket.GetCounters().IcmpErrors > _icmpErrors)
        {
            throw new TrafficException($"{Link.Socket.Peer} has ended: its port is closed");
        }

        if (Unheard > Patience)
        {
            throw new TrafficException(
                $"no message from {Link.Socket.Peer} for {Patience.TotalSeconds:0} s: it has ended, or "
                + "the path is blocked");
        }

        if (Traffic is { Sends: true, HasSent: false } traffic)
        {
            _hasStoppedUnheard = true;
            traffic.StopSending();
        }
    }

    private void Take(in ControlMessage message)
    {
        _heardTicks = Time.GetTimestamp();
        switch (message.Kind)
        {
            case ControlKind.Heartbeat:
                TakeHeartbeat(message);
                break;
            case ControlKind.Finish:
                TakeFinish(message);
                break;
            case ControlKind.FinishAcknowledged:
                IsFinishAcknowledged = _finish is not null;
                break;
            default:
                OnMessage(message);
                break;
        }
    }

    private void TakeHeartbeat(in ControlMessage message)
    {
        // One that was overtaken tells nothing new, and its copy would give a round trip that was none.
        if (message.Number <= _lastHeartbeat || !Heartbeat.TryRead(message.Body, out Heartbeat heartbeat)) return;

        _lastHeartbeat = message.Number;
        Other = heartbeat;
        (_echoNanoseconds, _echoTicks) = (Math.Max(0, message.Nanoseconds), Time.GetTimestamp());
        if (heartbeat.IsStopping) Traffic?.StopSending();
        if (heartbeat.RoundTrip(Link.NowNanoseconds) is not { } roundTrip) return;

        if (_roundTrips.Count == MaxRoundTrips) _roundTrips.Dequeue();
        _roundTrips.Enqueue(roundTrip);
    }

    private void TakeFinish(in ControlMessage message)
    {
        if (Traffic is not { } traffic || message.Number > TestParameters.MaxFlowCount
            || message.Body.Length != message.Number * sizeof(long))
        {
            return;
        }

        Span<long> totals = stackalloc long[(int)message.Number];
        BodyNumbers.Read(message.Body, totals);
        bool isFirst = !traffic.IsAnnounced;
        if (isFirst && !traffic.Announce(totals)) return;

        if (isFirst) _announcedTicks = Time.GetTimestamp();
        Link.Send(ControlKind.FinishAcknowledged, []);
    }

    private void SendHeartbeatWhenDue()
    {
        TimeSpan pause = Unheard > UrgentAfter ? UrgentHeartbeatInterval : HeartbeatInterval;
        if (Time.GetElapsedTime(_beatTicks) < pause) return;

        _beatTicks = Time.GetTimestamp();
        (long unique, long lost) = Traffic?.Received ?? default;
        var held = (long)(_echoNanoseconds == 0 ? 0 : Time.GetElapsedTime(_echoTicks).TotalNanoseconds);
        Span<byte> body = stackalloc byte[Heartbeat.Bytes];
        new Heartbeat(_echoNanoseconds, held, Traffic?.Sent ?? 0, unique, lost, IsStopping).Write(body);
        Link.Send(ControlKind.Heartbeat, body, _beats++);
    }

    private void FinishWhenDue()
    {
        if (Traffic is not { Sends: true, HasSent: true } traffic || IsFinishAcknowledged
            || (_finish is not null && Time.GetElapsedTime(_finishTicks) < FinishTime))
        {
            return;
        }

        _finishTicks = Time.GetTimestamp();
        if (_finish is null) (_finish, _firstFinishTicks) = (BodyNumbers.Of(traffic.Totals()), _finishTicks);

        Link.Send(ControlKind.Finish, _finish, _finish.Length / sizeof(long));
    }

    private void StopReceivingWhenDue()
    {
        if (Traffic is { Receives: true, IsAnnounced: true } traffic
            && (traffic.HasAll || Time.GetElapsedTime(_announcedTicks) >= DrainTime))
        {
            traffic.StopReceiving();
        }
    }
}

/// <summary>The connected socket over which a test's two ends speak. One thread.</summary>
internal sealed class ControlLink(UdpSocket socket, TimeProvider time) : IDisposable
{
    // One byte more than any control datagram has, so that a longer one is not taken for one.
    private readonly byte[] _incoming = new byte[ControlMessage.MaxBytes + 1];
    private readonly byte[] _outgoing = new byte[ControlMessage.MaxBytes];

    public UdpSocket Socket { get; } = socket;

    /// <summary>The test that all messages but those of the handshake name.</summary>
    public ulong Token { get; set; }

    public long NowNanoseconds => time.ToNanoseconds(time.GetTimestamp());

    /// <summary>
    /// A timeout of zero takes what is there. The message is valid until the next call. False where none came, or one
    /// whose token is wrong.
    /// </summary>
    public bool TryReceive(TimeSpan timeout, out ControlMessage message)
    {
        ReceiveStatus status = timeout <= TimeSpan.Zero
            ? Socket.TryReceiveFrom(_incoming, out ReceivedDatagram datagram)
            : Socket.ReceiveFrom(_incoming, timeout, out datagram);
        if (status == ReceiveStatus.Closed) throw new TrafficException("the test was closed at this end");

        if (status == ReceiveStatus.Received
            && ControlMessage.TryRead(_incoming.AsSpan(0, datagram.Length), out message)
            && (message.Token == Token || message is { Token: 0, Kind: ControlKind.Hello or ControlKind.Request }))
        {
            return true;
        }

        message = default;
        return false;
    }

    /// <summary>May be lost as on the way: every message is repeated until it is answered.</summary>
    public void Send(ControlKind kind, ReadOnlySpan<byte> body, long number = 0)
    {
        ControlMessage.WriteHeader(_outgoing, kind, Token, number, NowNanoseconds);
        body.CopyTo(_outgoing.AsSpan(ControlMessage.HeaderBytes));
        _ = Socket.TrySend(_outgoing.AsSpan(0, ControlMessage.HeaderBytes + body.Length));
    }

    public void Dispose() => Socket.Dispose();
}
