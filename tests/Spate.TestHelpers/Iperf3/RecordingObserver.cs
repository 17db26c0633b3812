using System.Collections.Concurrent;
using Spate.Cli.Iperf;
using Spate.Cli.Iperf.Iperf3.Results;

namespace Spate.TestHelpers.Iperf3;

/// <summary>Keeps what it hears of one test.</summary>
internal sealed class RecordingObserver : IIperfObserver
{
    // A test that goes on must not do so on the server's thread.
    private readonly TaskCompletionSource<Iperf3Test> _started =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public string? OutputText { get; init; }

    public string? OutputJson { get; init; }

    public Action<IperfInterval>? OnInterval { get; init; }

    public ConcurrentQueue<IperfInterval> Intervals { get; } = [];

    public Iperf3Outcome? Outcome { get; private set; }

    public string? Fault { get; private set; }

    /// <summary>How often it was told of an end.</summary>
    public int EndCount { get; private set; }

    public Task<Iperf3Test> Started => _started.Task;

    public Task Ended => _ended.Task;

    public void Tell(IperfEvent news)
    {
        switch (news)
        {
            case Iperf3Test test:
                _started.SetResult(test);
                break;
            case IperfInterval interval:
                Intervals.Enqueue(interval);
                OnInterval?.Invoke(interval);
                break;
            case Iperf3Outcome outcome:
                Outcome = outcome;
                End();
                break;
            case IperfMessage message:
                Fault = message.Text;
                End();
                break;
        }
    }

    private void End()
    {
        EndCount++;
        _ended.TrySetResult();
    }
}
