using System.Collections.Concurrent;
using Spate.Cli.Iperf.Iperf3.Results;

namespace Spate.TestHelpers.Iperf3;

/// <summary>Keeps what it hears of one test.</summary>
internal sealed class RecordingObserver : IIperf3Observer
{
    // A test that goes on must not do so on the server's thread.
    private readonly TaskCompletionSource<Iperf3Test> _started =
        new(TaskCreationOptions.RunContinuationsAsynchronously);

    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public string? OutputText { get; init; }

    public string? OutputJson { get; init; }

    public Action<Iperf3Interval>? OnInterval { get; init; }

    public ConcurrentQueue<Iperf3Interval> Intervals { get; } = [];

    public Iperf3Outcome? Outcome { get; private set; }

    public string? Fault { get; private set; }

    /// <summary>How often it was told of an end.</summary>
    public int EndCount { get; private set; }

    public Task<Iperf3Test> Started => _started.Task;

    public Task Ended => _ended.Task;

    public void Start(Iperf3Test test) => _started.SetResult(test);

    public void Report(Iperf3Interval interval)
    {
        Intervals.Enqueue(interval);
        OnInterval?.Invoke(interval);
    }

    public void Finish(Iperf3Outcome outcome)
    {
        Outcome = outcome;
        EndCount++;
        _ended.TrySetResult();
    }

    public void Fail(string message)
    {
        Fault = message;
        EndCount++;
        _ended.TrySetResult();
    }
}
