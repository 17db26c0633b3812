namespace Spate.Cli.Iperf.Iperf3.Results;

/// <summary>Hears of one test, on the thread of its control.</summary>
internal interface IIperf3Observer
{
    /// <summary>What was written so far, for a client that asked for it; null where it is JSON.</summary>
    string? OutputText { get; }

    /// <summary>What was written so far, for a client that asked for it; null where it is text.</summary>
    string? OutputJson { get; }

    /// <summary>The test was agreed on, and its data begins.</summary>
    void Start(Iperf3Test test);

    void Report(Iperf3Interval interval);

    void Finish(Iperf3Outcome outcome);

    /// <summary>The test, which may not have begun, could not go on. The line may hold text of a stranger.</summary>
    void Fail(string message);
}
