using System.Collections.Concurrent;
using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf2.Results;
using Spate.Cli.Iperf.Iperf2.Wire;

namespace Spate.Cli.Iperf.Iperf2.Ends;

/// <summary>
/// The tests that a server sends back. The address that one goes to may be forged, so they are few, slow and short,
/// and the flows of one address share the rate of one. One thread uses it.
/// </summary>
internal sealed class Iperf2ReverseSet(Iperf2ServerOptions options, TimeProvider time)
{
    public const int MaxTests = 4;

    private const int MaxPort = 65_535;

    // Of an address; any number of tests up to the most shares it without a rest.
    private const int WholeRate = 12;

    // The first datagram of a flow leaves at once, and one more each time that its end is told: long datagrams must not
    // pass a low limit.
    private const double MaxDatagramSeconds = 0.1;

    // Room for the number with its high half.
    private const int MinSizeBytes = Iperf2Header.Bytes;

    private const int MaxSizeBytes = 65_507;

    private static readonly TimeSpan MaxTime = TimeSpan.FromSeconds(60);

    private readonly List<Iperf2ReverseTest> _running = [];

    /// <summary>Whether tests may begin: not when the server ends.</summary>
    public bool IsOpen { get; set; }

    /// <summary>What is sent to a client, within the limits: only to the address of the flow that asked.</summary>
    public static Iperf2ClientOptions ToClient(
        IperfStream flow, in Iperf2Settings asked, Iperf2ServerOptions options)
    {
        UdpEndPoint client = flow.Remote.WithPort(asked.Port == 0 ? Iperf2ClientOptions.DefaultPort : asked.Port);
        int askedBytes = asked.SizeBytes == 0 ? Iperf2ClientOptions.DefaultSizeTo(client) : asked.SizeBytes;
        double mostBitsPerSecond = MostBitsPerSecond(asked, options);
        double mostBytes = Math.Clamp(mostBitsPerSecond / 8 * MaxDatagramSeconds, MinSizeBytes, MaxSizeBytes);
        int sizeBytes = Math.Clamp(askedBytes, MinSizeBytes, (int)mostBytes);
        double bitsPerSecond = asked.BitsPerSecond > 0 ? asked.BitsPerSecond : Iperf2ClientOptions.DefaultBitsPerSecond;
        double askedSeconds = asked.Amount < 0 ? -asked.Amount / 100.0 : MaxTime.TotalSeconds;
        return new Iperf2ClientOptions
        {
            Server = client,
            Local = flow.Local.Address.IsUnspecified ? default : flow.Local.WithPort(0),
            SizeBytes = sizeBytes,
            DatagramsPerSecond = Math.Min(bitsPerSecond, mostBitsPerSecond) / 8 / sizeBytes,
            Duration = TimeSpan.FromSeconds(Math.Min(askedSeconds, MaxTime.TotalSeconds)),
            ByteCount = asked.Amount < 0 ? null : Math.Max(1, asked.Amount),
            Interval = options.Interval,
            Transport = options.Transport,
        };
    }

    public void Begin(Iperf2Request request, Func<int> number, IIperfObserver observer)
    {
        if (!IsOpen && options.AllowReverse) return;

        (IperfStream flow, Iperf2Settings asked) = request;
        string option = asked.Reverse == Iperf2Reverse.Together ? "-d" : "-r";
        if (Refusal(flow, asked) is { } reason)
        {
            observer.Tell(new IperfMessage($"{flow.Remote} requested {option}, which is refused: {reason}"));
            return;
        }

        try
        {
            _running.Add(new Iperf2ReverseTest(ToClient(flow, asked, options), number(), MaxTime, time)
            {
                Share = Share(asked),
                MaxBitsPerSecond = MostBitsPerSecond(asked, options),
            });
        }
        catch (SocketException fault)
        {
            observer.Tell(new IperfMessage($"{flow.Remote} requested {option}, which failed: {fault.Message}"));
        }
    }

    public void Tell(IIperfObserver observer) => _running.RemoveAll(test =>
    {
        if (!test.Tell(observer) || (IsOpen && !test.IsPaid)) return false;

        test.Dispose();
        return true;
    });

    /// <summary>Ends all of them; what they have to tell can still be told.</summary>
    public void Stop()
    {
        IsOpen = false;
        foreach (Iperf2ReverseTest test in _running) test.Abandon();
        foreach (Iperf2ReverseTest test in _running) test.Join();
    }

    // A client with several flows waits until each of them came back, and says how many there are.
    private static int Share(in Iperf2Settings asked) => WholeRate / Math.Clamp(asked.FlowCount, 1, MaxTests);

    private static double MostBitsPerSecond(in Iperf2Settings asked, Iperf2ServerOptions options) =>
        (double)options.MaxReverseBitsPerSecond * Share(asked) / WholeRate;

    private string? Refusal(IperfStream flow, in Iperf2Settings asked)
    {
        if (!options.AllowReverse) return "start the server with --allow-reverse";
        if (asked.Port is < 0 or > MaxPort) return "its port number is invalid";
        int port = asked.Port == 0 ? Iperf2ClientOptions.DefaultPort : asked.Port;
        if (flow.Remote.WithPort(port) == flow.Local) return "it names this server's own port: set the client's -L";
        if (_running.Count >= MaxTests) return $"{MaxTests} tests run already";

        UdpAddress address = flow.Remote.Address;
        Iperf2ReverseTest[] served = [.. _running.Where(test => test.Remote.Address == address)];
        bool isFull = served.Sum(static test => test.Share) + Share(asked) > WholeRate;
        return isFull ? $"{served.Length} run to that address already, and share its rate" : null;
    }
}

/// <summary>A test sent back, on a thread of its own; what it has to tell waits in a bounded queue.</summary>
internal sealed class Iperf2ReverseTest : IIperfObserver, IDisposable
{
    private const int MaxIntervals = 1024;

    private static readonly TimeSpan StartPatience = TimeSpan.FromSeconds(1);

    private readonly Iperf2Client _client;
    private readonly CancellationTokenSource _stop;
    private readonly ConcurrentQueue<IperfEvent> _events = new();
    private readonly Thread _thread;
    private readonly int _number;
    private readonly TimeProvider _time;
    private readonly long _startTicks;
    private readonly int _endBytes;
    private long _errors;
    private double _sentBits;

    /// <summary>Opens the socket and begins. After the longest time it ends, whatever its amount and rate.</summary>
    public Iperf2ReverseTest(Iperf2ClientOptions options, int number, TimeSpan longest, TimeProvider time)
    {
        _number = number;
        _time = time;
        _startTicks = time.GetTimestamp();
        _endBytes = Iperf2Ending.BytesOf(options.Size);
        Remote = options.Server;
        _client = Iperf2Client.Open(options, time);
        _stop = new CancellationTokenSource(longest, time);
        _thread = new Thread(Send) { IsBackground = true, Name = $"spate reverse {number}" };
        _thread.Start();
    }

    public UdpEndPoint Remote { get; }

    public required int Share { get; init; }

    public required double MaxBitsPerSecond { get; init; }

    /// <summary>
    /// Whether the time that its part of the rate needs for all of it is over. Until then it keeps its place: datagrams
    /// that end a flow are not paced, and short tests one after another would be none but first and last ones.
    /// </summary>
    public bool IsPaid => _time.GetElapsedTime(_startTicks).TotalSeconds >= _sentBits / MaxBitsPerSecond;

    /// <summary>Tells what has happened. Returns whether the test is over, and all of it told.</summary>
    public bool Tell(IIperfObserver observer)
    {
        bool isOver = !_thread.IsAlive;
        while (_events.TryDequeue(out IperfEvent? news)) observer.Tell(news);
        if (isOver || _stop.IsCancellationRequested) return isOver;

        // A client of iperf 2.1.8 begins to listen after its own test has ended, and one with several flows does not
        // listen for a moment whenever one of them arrives.
        long errors = _client.FirstSocket.GetCounters().IcmpErrors;
        if (errors > _errors && _time.GetElapsedTime(_startTicks) >= StartPatience)
        {
            observer.Tell(new IperfMessage($"no program listens at {Remote}: the test to it was stopped"));
            Abandon();
        }

        _errors = errors;
        return false;
    }

    /// <summary>Ends the sending, and waits for an answer once at most.</summary>
    public void Abandon()
    {
        _client.Abandon();
        _stop.Cancel();
    }

    public void Join() => _thread.Join();

    public void Dispose()
    {
        _client.Dispose();
        _stop.Dispose();
    }

    // The client of one flow calls it number 1.
    void IIperfObserver.Tell(IperfEvent news)
    {
        switch (news)
        {
            case IperfInterval when _events.Count >= MaxIntervals:
                return;
            case IperfInterval interval:
                news = interval with { Rows = [.. interval.Rows.Select(row => row with { Number = _number })] };
                break;
            case IperfTest start:
                news = start with { Streams = [.. start.Streams.Select(Rename)] };
                break;
            case Iperf2SendReport sent:
                _sentBits = 8.0 * sent.Flows.Sum(one => one.Bytes + ((double)one.EndTries * _endBytes));
                news = new Iperf2SendReport(
                    [.. sent.Flows.Select(one => one with { Stream = Rename(one.Stream) })]);
                break;
        }

        _events.Enqueue(news);
    }

    private IperfStream Rename(IperfStream stream) => stream with { Number = _number, IsReverse = true };

    private void Send()
    {
        try
        {
            _ = _client.Run(this, _stop.Token);
        }
        catch (Exception fault)
        {
            // A fault here would end the process, and with it the tests of everyone else.
            _events.Enqueue(new IperfMessage($"the test sent to {Remote} failed: {fault.Message}"));
        }
    }
}

/// <summary>Counts what a server sends back to a client, on a thread of its own and from that server alone.</summary>
internal sealed class Iperf2ReverseReceiver : IIperfObserver, IDisposable
{
    // The server of iperf 2.1.8 begins 250 ms after the end of what came.
    private static readonly TimeSpan StartPatience = TimeSpan.FromSeconds(2);

    private readonly Iperf2Server _server;
    private readonly TimeProvider _time;
    private readonly IIperfObserver _observer;
    private readonly CancellationTokenSource _stop = new();
    private readonly AutoResetEvent _changed = new(initialState: false);
    private readonly Thread _thread;
    private int _started;
    private int _finished;

    /// <summary>The server stays its owner's to close. The observer is called from another thread.</summary>
    public Iperf2ReverseReceiver(Iperf2Server server, IIperfObserver observer, TimeProvider time)
    {
        _server = server;
        _observer = observer;
        _time = time;
        _thread = new Thread(Listen) { IsBackground = true, Name = "spate reverse" };
        _thread.Start();
    }

    /// <summary>Flows that came back to their end, or until they fell silent.</summary>
    public int Finished => Volatile.Read(ref _finished);

    public bool IsBusy => Volatile.Read(ref _started) > Finished;

    public static Iperf2ServerOptions ToServer(Iperf2ClientOptions options)
    {
        UdpEndPoint any = options.Server.IsIPv6 ? UdpEndPoint.IPv6Any(0) : UdpEndPoint.Any(0);
        return new Iperf2ServerOptions
        {
            Local = (options.Local.IsDefault ? any : options.Local).WithPort(options.ListenPort ?? options.Server.Port),
            OnlyFrom = options.Server.Address,
            NamedBefore = options.FlowCount,
            Interval = options.Interval,
            Transport = options.Transport,
        };
    }

    /// <summary>Waits for the flows of the server, from the end of the client's own on.</summary>
    public void Await(int flowCount, TimeSpan longest, CancellationToken cancellationToken)
    {
        long startTicks = _time.GetTimestamp();
        long changedTicks = startTicks;
        WaitHandle[] handles = [cancellationToken.WaitHandle, _changed];
        while (Finished < flowCount && _thread.IsAlive && !cancellationToken.IsCancellationRequested)
        {
            TimeSpan left = IsBusy
                ? longest - _time.GetElapsedTime(startTicks)
                : StartPatience - _time.GetElapsedTime(changedTicks);
            if (left <= TimeSpan.Zero) return;

            if (WaitHandle.WaitAny(handles, left) == 1) changedTicks = _time.GetTimestamp();
        }
    }

    public void Dispose()
    {
        _stop.Cancel();
        _thread.Join();
        _stop.Dispose();
        _changed.Dispose();
    }

    void IIperfObserver.Tell(IperfEvent news)
    {
        if (news is IperfTest start)
        {
            Interlocked.Increment(ref _started);
            news = start with { Streams = [.. start.Streams.Select(static one => one with { IsReverse = true })] };
        }
        else if (news is Iperf2Received received)
        {
            news = received with { Stream = received.Stream with { IsReverse = true } };
        }

        _observer.Tell(news);
        if (news is Iperf2Received) Interlocked.Increment(ref _finished);
        if (news is IperfTest or Iperf2Received) _changed.Set();
    }

    private void Listen()
    {
        try
        {
            _server.Run(this, _stop.Token);
        }
        catch (Exception fault)
        {
            // A fault here would end the process; what the client sent still has its report.
            _observer.Tell(new IperfMessage($"the server's datagrams could not be received: {fault.Message}"));
        }

        _changed.Set();
    }
}

/// <summary>Lets several threads tell one observer, one at a time.</summary>
internal sealed class ObserverGate(IIperfObserver inner) : IIperfObserver
{
    private readonly Lock _gate = new();

    public void Tell(IperfEvent news)
    {
        lock (_gate) inner.Tell(news);
    }
}
