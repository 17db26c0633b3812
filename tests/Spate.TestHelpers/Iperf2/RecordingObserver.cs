using System.Collections.Concurrent;
using Spate.Cli.Iperf.Iperf2.Results;

namespace Spate.TestHelpers.Iperf2;

/// <summary>Keeps what it hears, for a test on another thread.</summary>
internal sealed class RecordingObserver : IIperf2Observer
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly BlockingCollection<Iperf2Received> _finished = [];
    private readonly BlockingCollection<Iperf2Sent> _sent = [];

    public ConcurrentQueue<Iperf2Stream> Started { get; } = new();

    public ConcurrentQueue<Iperf2Interval> Intervals { get; } = new();

    public ConcurrentQueue<string> Notices { get; } = new();

    /// <summary>Waits for the next flow that ends.</summary>
    public Iperf2Received TakeFinished() => _finished.TryTake(out Iperf2Received? received, Patience)
        ? received
        : throw new TimeoutException("No flow has ended.");

    /// <summary>Waits for the next flow that was sent to its end.</summary>
    public Iperf2Sent TakeSent() => _sent.TryTake(out Iperf2Sent? sent, Patience)
        ? sent
        : throw new TimeoutException("No flow was sent to its end.");

    public void Start(Iperf2Stream stream) => Started.Enqueue(stream);

    public void Report(Iperf2Interval interval) => Intervals.Enqueue(interval);

    public void Finish(Iperf2Received received) => _finished.Add(received);

    public void Finish(IReadOnlyList<Iperf2Sent> flows)
    {
        foreach (Iperf2Sent sent in flows) _sent.Add(sent);
    }

    public void Notice(string message) => Notices.Enqueue(message);
}
