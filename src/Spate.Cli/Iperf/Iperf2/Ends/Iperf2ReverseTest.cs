using System.Collections.Concurrent;
using Spate.Cli.Iperf.Iperf2.Results;

namespace Spate.Cli.Iperf.Iperf2.Ends;

/// <summary>A test sent back, on a thread of its own; what it has to tell waits in a bounded queue.</summary>
internal sealed class Iperf2ReverseTest : IIperf2Observer, IDisposable
{
    private const int MaxIntervals = 1024;

    private static readonly TimeSpan StartPatience = TimeSpan.FromSeconds(1);

    private readonly Iperf2Client _client;
    private readonly CancellationTokenSource _stop;
    private readonly ConcurrentQueue<Action<IIperf2Observer>> _lines = new();
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
    public bool Tell(IIperf2Observer observer)
    {
        bool isOver = !_thread.IsAlive;
        while (_lines.TryDequeue(out Action<IIperf2Observer>? line)) line(observer);
        if (isOver || _stop.IsCancellationRequested) return isOver;

        // A client of iperf 2.1.8 begins to listen after its own test has ended, and one with several flows does not
        // listen for a moment whenever one of them arrives.
        long errors = _client.FirstSocket.GetCounters().IcmpErrors;
        if (errors > _errors && _time.GetElapsedTime(_startTicks) >= StartPatience)
        {
            observer.Notice($"nothing listens at {Remote}: what it asked for is sent no longer");
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

    void IIperf2Observer.Start(Iperf2Stream stream)
    {
        Iperf2Stream named = Rename(stream);
        _lines.Enqueue(observer => observer.Start(named));
    }

    void IIperf2Observer.Report(Iperf2Interval interval)
    {
        Iperf2Interval named = interval with { Number = _number };
        if (_lines.Count < MaxIntervals) _lines.Enqueue(observer => observer.Report(named));
    }

    void IIperf2Observer.Finish(Iperf2Received received) => _lines.Enqueue(observer => observer.Finish(received));

    void IIperf2Observer.Finish(IReadOnlyList<Iperf2Sent> flows)
    {
        _sentBits = 8.0 * flows.Sum(sent => sent.Bytes + ((double)sent.EndTries * _endBytes));
        Iperf2Sent[] named = [.. flows.Select(sent => sent with { Stream = Rename(sent.Stream) })];
        _lines.Enqueue(observer => observer.Finish(named));
    }

    void IIperf2Observer.Notice(string message) => _lines.Enqueue(observer => observer.Notice(message));

    private Iperf2Stream Rename(Iperf2Stream stream) => stream with { Number = _number, IsReverse = true };

    private void Send()
    {
        try
        {
            _ = _client.Run(this, _stop.Token);
        }
        catch (Exception fault)
        {
            // A fault here would end the process, and with it the tests of everyone else.
            _lines.Enqueue(observer => observer.Notice($"the test sent to {Remote} failed: {fault.Message}"));
        }
    }
}
