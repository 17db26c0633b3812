using System.Buffers.Binary;
using System.Text.Json;
using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interfaces;
using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>
/// One client's test at the server, from its acceptance to its end, on a thread of its own. Flows join it on the thread
/// of the listening socket.
/// </summary>
internal sealed class ServerSession : TestSession
{
    private static readonly TimeSpan PollTime = TimeSpan.FromMilliseconds(10);

    // A refusal is repeated until the client's bye acknowledges it, but no longer than this.
    private static readonly TimeSpan RefuseTime = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan RefusePause = TimeSpan.FromMilliseconds(50);

    private readonly TestServerOptions _options;
    private readonly Action _onBegin;
    private readonly JoinedFlow?[] _flows;
    private readonly byte[] _nonce;
    private readonly byte[] _accept;
    private readonly Lock _joinLock = new();
    private byte[]? _report;
    private volatile string? _fault;
    private bool _isClosed;
    private bool _isBye;

    public ServerSession(
        ControlLink link,
        ReadOnlySpan<byte> nonce,
        byte version,
        TestParameters granted,
        TestServerOptions options,
        Action onBegin,
        TimeProvider time)
        : base(link, time)
    {
        _options = options;
        _onBegin = onBegin;
        Parameters = granted;
        _nonce = nonce.ToArray();
        _flows = new JoinedFlow?[granted.Flows];
        _accept = HandshakeBodies.Accept(nonce, link.Token, version, granted.ToJson(), options.Key);
    }

    public TestParameters Parameters { get; }

    public ulong Token => Link.Token;

    public UdpEndPoint Peer => Link.Socket.Peer;

    public bool HasBegun => Traffic is not null;

    /// <summary>This end's report; null where the client has not fetched it.</summary>
    public TestEndReport? Report { get; private set; }

    public void SendAccept() => Link.Send(ControlKind.Accept, _accept);

    /// <summary>The number may be one that a stranger has named. On the listening socket's thread.</summary>
    public void Join(long index, ReadOnlySpan<byte> body, in UdpEndPoint peer, in UdpEndPoint local)
    {
        if (index >= _flows.Length) return;

        lock (_joinLock)
        {
            // A copy that was under way when the flow's socket took over.
            if (_isClosed || Traffic is not null || _flows[index] is not null) return;

            UdpSocketOptions options =
                PeerPort.Of(Parameters.SocketOptions(_options.Transport, isClient: false));
            var flow = new JoinedFlow(Token, index, body, peer, local, options);
            _flows[index] = flow;
            flow.Answer();
        }
    }

    /// <summary>Ends the test; the client is told why. Any thread may call it.</summary>
    public void GiveUp(string reason) => _fault = reason;

    /// <summary>Until the client ends the test. Throws <see cref="TrafficException"/>; the client was told.</summary>
    public void Run(CancellationToken stop)
    {
        try
        {
            while (!_isBye)
            {
                if (_fault is { } fault) throw new TrafficException(fault);
                if (stop.IsCancellationRequested) throw new TrafficException("the server was stopped");

                if (Traffic is null) AnswerAgain();
                Step(PollTime);
            }
        }
        catch (Exception fault)
        {
            // The client is told for a while, and data that nobody will report must not load the path meanwhile.
            Traffic?.StopSending();
            Refuse(fault.Message);
            throw;
        }
    }

    public override void Dispose()
    {
        lock (_joinLock)
        {
            _isClosed = true;
            foreach (JoinedFlow? flow in _flows)
            {
                flow?.Flow.Socket.Dispose();
                flow?.Dispose();
            }
        }

        base.Dispose();
        Link.Dispose();
    }

    protected override void OnMessage(in ControlMessage message)
    {
        switch (message.Kind)
        {
            case ControlKind.Hello or ControlKind.Request when Traffic is null:
                SendAccept();
                break;
            case ControlKind.Start:
                Start();
                break;
            case ControlKind.Fetch when IsDataOver:
                // A client fetches when its drain period is over: what the queues here dropped until then is counted.
                if (_report is null) TakeReport();
                SendParts(message);
                break;
            case ControlKind.Bye:
                _isBye = true;
                break;
        }
    }

    private void Refuse(string reason)
    {
        byte[] body = HandshakeBodies.Refusal(_nonce, reason);
        long startTicks = Time.GetTimestamp();
        long? sentTicks = null;
        while (!_isBye && Time.GetElapsedTime(startTicks) < RefuseTime)
        {
            if (sentTicks is not { } last || Time.GetElapsedTime(last) >= RefusePause)
            {
                sentTicks = Time.GetTimestamp();
                Link.Send(ControlKind.Refuse, body);
            }

            _isBye = Link.TryReceive(RefusePause, out ControlMessage message) && message.Kind == ControlKind.Bye;
        }
    }

    private void AnswerAgain()
    {
        lock (_joinLock)
        {
            foreach (JoinedFlow? flow in _flows)
            {
                flow?.AnswerAgain();
            }
        }
    }

    private void Start()
    {
        if (Traffic is null)
        {
            lock (_joinLock)
            {
                if (Array.Exists(_flows, static flow => flow is null)) return;

                bool isPlanned = Parameters.AutomaticCpus || (Parameters.Cpus.Length == 0 && _options.AutomaticCpus);
                IReadOnlyList<int> cpus = isPlanned ? PlanCpus()
                    : Parameters.Cpus.Length > 0 ? Parameters.Cpus : _options.Cpus;
                TestFlow[] flows = [.. _flows.Select(static flow => flow!.Flow)];
                Array.ForEach(_flows, static flow => flow!.Dispose());
                Watch(new PathTestTraffic(Parameters, isClient: false, flows, _options with { Cpus = cpus }, Time));
            }

            Await("has not ended its test", TimeSpan.FromSeconds(Parameters.Seconds ?? 0) + SpareTime);
            _onBegin();
            Traffic!.StartReceiving(onInterval: null);
            Traffic.StartSending(onInterval: null);
        }

        Link.Send(ControlKind.Started, []);
    }

    private List<int> PlanCpus()
    {
        CpuFacts cpus = CpuFacts.Read();
        CpuPlanOptions request = PlacementSurvey.Read(
            cpus,
            [Link.Socket.LocalEndPoint.ToIPEndPoint()],
            _flows.Length,
            isReceiver: Parameters.Direction != TestDirection.Reverse,
            InterfaceFacts.ReadAll(),
            ownsPort: true);
        var plan = CpuPlan.Make(cpus, request);
        _options.OnPlan?.Invoke(plan);
        return [.. plan.Threads.Select(static thread => thread.Number)];
    }

    private void TakeReport()
    {
        Report = SentReport.Shorten(MakeReport());
        _report = JsonSerializer.SerializeToUtf8Bytes(Report, SessionJson.Default.TestEndReport);
    }

    private void SendParts(in ControlMessage fetch)
    {
        if (fetch.Body.Length < sizeof(int)) return;

        int asked = BinaryPrimitives.ReadInt32BigEndian(fetch.Body);
        long end = Math.Min(fetch.Number + Math.Clamp(asked, 0, ReportParts.MaxPartsPerFetch),
            ReportParts.CountOf(_report!.Length));
        Span<byte> body = stackalloc byte[sizeof(int) + ReportParts.PartBytes];
        BinaryPrimitives.WriteInt32BigEndian(body, _report.Length);
        for (long i = fetch.Number; i < end; i++)
        {
            ReadOnlySpan<byte> part = ReportParts.Cut(_report, (int)i);
            part.CopyTo(body[sizeof(int)..]);
            Link.Send(ControlKind.Part, body[..(sizeof(int) + part.Length)], i);
        }
    }
}

/// <summary>A flow at the server between its join and the start of the data.</summary>
internal sealed class JoinedFlow : IDisposable
{
    private readonly ReceiveBatch _batch;
    private readonly byte[] _answer;

    public JoinedFlow(
        ulong token,
        long index,
        ReadOnlySpan<byte> join,
        in UdpEndPoint peer,
        in UdpEndPoint local,
        UdpSocketOptions options)
    {
        // Whatever a stray was, its sender repeats it.
        (UdpSocket socket, _batch) = PeerSocket.Open(peer, local, options, onStray: null);
        try
        {
            Flow = new TestFlow(socket, HandshakeBodies.StreamOfJoin(join), TestDatagram.NewStreamId());
            _answer = ControlMessage.Create(
                ControlKind.Joined,
                token,
                HandshakeBodies.Joined(HandshakeBodies.NonceOf(join), Flow.ReverseStream),
                index);
        }
        catch
        {
            _batch.Dispose();
            socket.Dispose();
            throw;
        }
    }

    public TestFlow Flow { get; }

    public void Answer() => _ = Flow.Socket.TrySend(_answer);

    /// <summary>Where an answer was lost the client asks again, and the flow's socket hears it.</summary>
    public void AnswerAgain()
    {
        if (Flow.Socket.TryReceive(_batch) != ReceiveStatus.Received) return;

        foreach (Datagram datagram in _batch)
        {
            if (ControlMessage.TryRead(datagram.Payload, out ControlMessage message)
                && message.Kind is ControlKind.Hello or ControlKind.Join)
            {
                Answer();
            }
        }
    }

    /// <summary>Gives back what only the join needed. The socket stays open.</summary>
    public void Dispose() => _batch.Dispose();
}
