namespace Spate.Cli.Iperf.Iperf3.Results;

/// <summary>
/// Hears of one test. It is called by one thread at a time; every call comes from the thread of the test's control.
/// </summary>
internal interface IIperf3Observer
{
    /// <summary>What was written so far, as text for a client that asked for it; null where it is JSON.</summary>
    string? OutputText { get; }

    /// <summary>What was written so far, as one JSON document for a client that asked for it; null for text.</summary>
    string? OutputJson { get; }

    /// <summary>The test was agreed on, and its data begins.</summary>
    void Start(Iperf3Test test);

    /// <summary>An interval is over.</summary>
    void Report(Iperf3Interval interval);

    /// <summary>The test is over.</summary>
    void Finish(Iperf3Outcome outcome);

    /// <summary>The test could not go on. It may not have begun.</summary>
    /// <param name="message">One line; it may hold text of a stranger.</param>
    void Fail(string message);
}
