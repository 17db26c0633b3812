namespace Spate.Cli.Iperf.Iperf3.Results;

/// <summary>Hears of one test, on the thread of its control.</summary>
internal interface IIperf3Observer
{
    /// <summary>For a client that asked for it; null where the output is JSON.</summary>
    string? OutputText { get; }

    /// <summary>For a client that asked for it; null where the output is text.</summary>
    string? OutputJson { get; }

    /// <summary>The data begins.</summary>
    void Start(Iperf3Test test);

    void Report(Iperf3Interval interval);

    void Finish(Iperf3Outcome outcome);

    /// <summary>The test, which may not have begun, fails; the line may hold text of a stranger.</summary>
    void Fail(string message);
}
