namespace Spate.Cli.Iperf.Iperf2.Results;

/// <summary>
/// Hears of flows by iperf 2's protocol. There is one call at a time, from the thread that runs the end; a client that
/// is sent something back calls from a second thread too.
/// </summary>
internal interface IIperf2Observer
{
    /// <summary>A flow has begun.</summary>
    void Start(Iperf2Stream stream);

    /// <summary>An interval of a flow, or of all flows together, is over.</summary>
    void Report(Iperf2Interval interval);

    /// <summary>A flow has ended at its server.</summary>
    void Finish(Iperf2Received received);

    /// <summary>What a client sent has ended, or a test that a server sent back.</summary>
    void Finish(IReadOnlyList<Iperf2Sent> flows);

    /// <summary>Something else happened that people should know.</summary>
    /// <param name="message">One line. It holds no text of a stranger but addresses.</param>
    void Notice(string message);
}
