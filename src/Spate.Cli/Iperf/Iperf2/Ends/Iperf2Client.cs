using System.Globalization;
using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf2.Results;
using Spate.Cli.Iperf.Iperf2.Wire;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.Pacing;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Iperf.Iperf2.Ends;

/// <summary>The end of UDP tests that sends, by iperf 2's protocol.</summary>
internal sealed class Iperf2Client : IDisposable
{
    /// <summary>How often the end of a flow is sent until a server answers: 10.</summary>
    public const int EndTries = 10;

    private static readonly TimeSpan AnswerTime = TimeSpan.FromMilliseconds(250);

    // What comes back may take as long as what a server of Spate sends at most, and some more.
    private static readonly TimeSpan ReverseTime = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan ReverseSlack = TimeSpan.FromSeconds(10);

    private readonly Iperf2ClientOptions _options;
    private readonly TimeProvider _time;
    private readonly UdpSocket[] _sockets;
    private readonly Iperf2SendStream[] _streams;
    private readonly TrafficSender _sender;
    private readonly Iperf2Server? _listener;
    private volatile bool _isAbandoned;

    private Iperf2Client(
        Iperf2ClientOptions options, UdpSocket[] sockets, Iperf2Server? listener, TimeProvider time)
    {
        _options = options;
        _listener = listener;
        _time = time;
        _sockets = sockets;
        var sendOptions = new TrafficSenderOptions
        {
            Targets = [options.Server],
            SizeBytes = options.Size,
            DatagramsPerSecond = RatePacer.InRange(options.Rate) * options.FlowCount,
            FlowCount = options.FlowCount,
            DatagramCount = options.ByteCount is { } bytes ? CountOf(bytes, options) : null,
            Duration = options.ByteCount is null ? options.Duration : null,
            Interval = options.Interval,
            Transport = options.Transport,
            AnnouncesEnd = false,
        };
        long wallOffset = ((time.GetUtcNow() - DateTimeOffset.UnixEpoch).Ticks * TimeSpan.NanosecondsPerTick)
            - time.ToNanoseconds(time.GetTimestamp());
        Iperf2Settings settings = options.ToSettings(listener?.LocalEndPoint.Port ?? options.Server.Port);
        _streams = [.. sockets.Select((_, i) => new Iperf2SendStream(options, settings, (ulong)i + 1, wallOffset))];
        Streams = [.. sockets.Select(static (socket, i) =>
            new IperfStream(i + 1, socket.LocalEndPoint, socket.Peer) { Sends = true })];
        _sender = TrafficSender.Over(
            [.. sockets.Select((socket, i) => SendFlow.Over(socket, _streams[i], sendOptions, i, time))],
            sendOptions,
            time);
    }

    public IReadOnlyList<IperfStream> Streams { get; }

    /// <summary>The socket of the first flow; those of all have the same options.</summary>
    public UdpSocket FirstSocket => _sockets[0];

    /// <summary>Where it listens for what comes back; null where nothing was asked for.</summary>
    public UdpEndPoint? ListeningAt => _listener?.LocalEndPoint;

    /// <summary>Flows that came back; valid after the run.</summary>
    public int FlowsBack { get; private set; }

    /// <exception cref="SocketException">The system refused a socket.</exception>
    public static Iperf2Client Open(Iperf2ClientOptions options, TimeProvider? timeProvider = null)
    {
        options.Validate();
        var sockets = new List<UdpSocket>(options.FlowCount);
        UdpSocketOptions socketOptions = options.Transport.ToSocketOptions() with { TimeToLive = options.TimeToLive };
        Iperf2Server? listener = null;
        try
        {
            // It listens before anything is sent: an answer may come at once.
            if (options.Reverse != Iperf2Reverse.None)
            {
                listener = Iperf2Server.Open(Iperf2ReverseReceiver.ToServer(options), timeProvider);
            }

            for (int i = 0; i < options.FlowCount; i++)
            {
                sockets.Add(UdpSocket.Connect(options.Server, options.Local, socketOptions));
            }

            return new Iperf2Client(options, [.. sockets], listener, timeProvider ?? TimeProvider.System);
        }
        catch
        {
            sockets.ForEach(static socket => socket.Dispose());
            listener?.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Sends, ends the flows, and waits for the server's answers and for what it sends back. Called once. The token
    /// ends the sending early: the flows are ended all the same, but what comes back is waited for no longer.
    /// </summary>
    public IReadOnlyList<Iperf2Sent> Run(IIperfObserver observer, CancellationToken cancellationToken = default)
    {
        if (_listener is null) return Send(observer, cancellationToken);

        var shared = new ObserverGate(observer);
        using var listening = new Iperf2ReverseReceiver(_listener, shared, _time);
        Iperf2Sent[] flows = Send(shared, cancellationToken);
        if (listening.IsBusy || flows.Any(static sent => sent.Report is not null))
        {
            TimeSpan longest = _options.Expected > ReverseTime ? _options.Expected : ReverseTime;
            listening.Await(_options.FlowCount, longest + ReverseSlack, cancellationToken);
        }

        FlowsBack = listening.Finished;
        return flows;
    }

    public void Dispose()
    {
        _sender.Dispose();
        _listener?.Dispose();
    }

    /// <summary>Lets the end of the flows be sent once at most, as when a server stops. Any thread may call.</summary>
    internal void Abandon() => _isAbandoned = true;

    private Iperf2Sent[] Send(IIperfObserver observer, CancellationToken cancellationToken)
    {
        observer.Tell(new IperfTest { Streams = Streams });
        TrafficReport report = _sender.Run(interval => Report(interval, observer), cancellationToken);
        bool[] isClosed = [.. _sockets.Select(static socket => socket.GetCounters().IcmpErrors > 0)];
        Iperf2Ending[] endings =
            [.. _sockets.Select((socket, i) => new Iperf2Ending(socket, _streams[i], _time))];
        try
        {
            EndAll(endings);
            Iperf2Sent[] flows = [.. endings.Select((ending, i) => new Iperf2Sent
            {
                Stream = Streams[i],
                Seconds = report.Seconds,
                Datagrams = _streams[i].Sent,
                Bytes = _streams[i].Sent * _options.Size,
                Refused = _streams[i].NextSequence - _streams[i].Sent,
                EndTries = ending.Tries,
                Report = ending.Report,
                Arrived = ending.Report is { } answer ? ArrivedOf(answer, ending.Bytes) : null,
                IsPortClosed = ending.Report is null
                    && (isClosed[i] || _sockets[i].GetCounters().IcmpErrors > 0),
            })];
            observer.Tell(new Iperf2SendReport(flows));
            return flows;
        }
        finally
        {
            foreach (Iperf2Ending ending in endings) ending.Dispose();
        }
    }

    // iperf 2.1.8 sends as many, and shortens the last one.
    private static long CountOf(long bytes, Iperf2ClientOptions options) =>
        ((bytes - 1) / options.Size + 1) * options.FlowCount;

    // The datagram that ends a flow is among the bytes of every server.
    private long? ArrivedOf(Iperf2ServerReport report, int endBytes)
    {
        long bytes = report.Counts.Bytes - endBytes;
        return bytes >= 0 && bytes % _options.Size == 0 ? bytes / _options.Size : null;
    }

    private void Report(TrafficInterval interval, IIperfObserver observer)
    {
        double start = interval.Total.StartSeconds;

        // A flow's name is its index.
        IEnumerable<IperfRow> flows = interval.Flows.Select(
            static flow => Row(int.Parse(flow.Name, CultureInfo.InvariantCulture) + 1, flow.Bytes));
        int? all = _sockets.Length == 1 ? 1 : null;
        observer.Tell(new IperfInterval(
            start, start + interval.Total.Seconds, [.. flows, Row(all, interval.Total.Bytes)]));

        static IperfRow Row(int? number, long bytes) => new(number, Sends: true, new IperfCounts { Bytes = bytes });
    }

    private void EndAll(Iperf2Ending[] endings)
    {
        long answerTicks = (long)(AnswerTime.TotalSeconds * _time.TimestampFrequency);
        for (int i = 0; i < EndTries; i++)
        {
            Iperf2Ending[] open = [.. endings.Where(static ending => ending.Report is null)];
            if (open.Length == 0 || (i > 0 && _isAbandoned)) return;

            foreach (Iperf2Ending ending in open) ending.Ask();
            long untilTicks = _time.GetTimestamp() + answerTicks;
            foreach (Iperf2Ending ending in open) ending.Listen(untilTicks);
        }
    }
}

/// <summary>The numbered datagrams of one flow of a client.</summary>
internal sealed class Iperf2SendStream(
    Iperf2ClientOptions options, Iperf2Settings settings, ulong id, long wallOffsetNanoseconds)
    : SendStream(options.Server, isConnected: true, options.Size, id)
{
    /// <summary>Writes a datagram that ends the flow; each copy has the same number, so that the total stays.</summary>
    public void WriteEnd(Span<byte> payload, long nowNanoseconds) =>
        WriteHeader(payload, -(NextSequence + 1), nowNanoseconds);

    // The flow is ended when its thread is done, and answered.
    public override void FillEnd(SendBatch batch, long nowNanoseconds)
    {
    }

    protected override void Write(Span<byte> payload, long sequence, long sentNanoseconds) =>
        WriteHeader(payload, sequence + 1, sentNanoseconds);

    private void WriteHeader(Span<byte> payload, long number, long nowNanoseconds)
    {
        new Iperf2Header(number, nowNanoseconds + wallOffsetNanoseconds).Write(payload);
        settings.Write(payload);
    }
}

/// <summary>Ends one flow of a client: asks until the server answers.</summary>
internal sealed class Iperf2Ending : IDisposable
{
    private readonly UdpSocket _socket;
    private readonly TimeProvider _time;
    private readonly ReceiveBatch _batch;
    private readonly byte[] _payload;
    private readonly Iperf2SendStream _stream;

    public Iperf2Ending(UdpSocket socket, Iperf2SendStream stream, TimeProvider time)
    {
        _socket = socket;
        _time = time;
        _stream = stream;

        _payload = new byte[BytesOf(stream.SizeBytes)];
        _batch = socket.CreateReceiveBatch(new ReceiveBatchOptions { SlotBytes = 2048 });
    }

    public int Bytes => _payload.Length;

    public int Tries { get; private set; }

    public Iperf2ServerReport? Report { get; private set; }

    /// <summary>As long as an answer at least: iperf 2.1.8 does not answer what is shorter.</summary>
    public static int BytesOf(int sizeBytes) => Math.Max(sizeBytes, Iperf2Answer.Bytes);

    public void Ask()
    {
        Tries++;
        _stream.WriteEnd(_payload, _time.ToNanoseconds(_time.GetTimestamp()));
        _ = _socket.TrySend(_payload);
    }

    /// <summary>Waits for the answer until a time; looks once where that is over, whatever else keeps coming.</summary>
    public void Listen(long untilTicks)
    {
        TimeSpan left;
        do
        {
            left = _time.GetElapsedTime(_time.GetTimestamp(), untilTicks);
            var patience = TimeSpan.FromMilliseconds(Math.Ceiling(Math.Max(0, left.TotalMilliseconds)));
            if (_socket.Receive(_batch, patience) != ReceiveStatus.Received) return;

            foreach (Datagram datagram in _batch) Report ??= Iperf2Answer.Read(datagram.Payload);
        }
        while (Report is null && left > TimeSpan.Zero);
    }

    public void Dispose() => _batch.Dispose();
}
