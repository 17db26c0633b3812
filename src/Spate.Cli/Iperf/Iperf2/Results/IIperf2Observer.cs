namespace Spate.Cli.Iperf.Iperf2.Results;

/// <summary>
/// Hears of flows by iperf 2's protocol. There is one call at a time, from the thread that runs the end; a client that
/// is sent something back calls from a second thread too.
/// </summary>
internal interface IIperf2Observer
{
    void Start(Iperf2Stream stream);

    void Report(Iperf2Interval interval);

    void Finish(Iperf2Received received);

    /// <summary>What a client sent has ended, or a test that a server sent back.</summary>
    void Finish(IReadOnlyList<Iperf2Sent> flows);

    /// <summary>Something else to know, in one line, which holds no text of a stranger but addresses.</summary>
    void Notice(string message);
}
