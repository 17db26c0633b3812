using System.Collections.Concurrent;
using Spate.Cli.Iperf;
using Spate.Cli.Iperf.Iperf2.Results;

namespace Spate.TestHelpers.Iperf2;

/// <summary>Keeps what it hears, for a test on another thread.</summary>
internal sealed class RecordingObserver : IIperfObserver
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly BlockingCollection<Iperf2Received> _finished = [];
    private readonly BlockingCollection<Iperf2Sent> _sent = [];

    public ConcurrentQueue<IperfStream> Started { get; } = new();

    public ConcurrentQueue<IperfInterval> Intervals { get; } = new();

    public ConcurrentQueue<string> Notices { get; } = new();

    /// <summary>Waits for the next flow that ends.</summary>
    public Iperf2Received TakeFinished() => _finished.TryTake(out Iperf2Received? received, Patience)
        ? received
        : throw new TimeoutException("No flow has ended.");

    /// <summary>Waits for the next flow that was sent to its end.</summary>
    public Iperf2Sent TakeSent() => _sent.TryTake(out Iperf2Sent? sent, Patience)
        ? sent
        : throw new TimeoutException("No flow was sent to its end.");

    public void Tell(IperfEvent news)
    {
        switch (news)
        {
            case IperfTest start:
                foreach (IperfStream stream in start.Streams) Started.Enqueue(stream);
                break;
            case IperfInterval interval:
                Intervals.Enqueue(interval);
                break;
            case Iperf2Received received:
                _finished.Add(received);
                break;
            case Iperf2SendReport sent:
                foreach (Iperf2Sent one in sent.Flows) _sent.Add(one);
                break;
            case IperfMessage message:
                Notices.Enqueue(message.Text);
                break;
        }
    }
}
