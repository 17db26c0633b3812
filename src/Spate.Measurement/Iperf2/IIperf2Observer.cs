namespace Spate.Measurement.Iperf2;

/// <summary>Hears of flows by iperf 2's protocol. Every call comes from the thread that runs the end.</summary>
public interface IIperf2Observer
{
    /// <summary>A flow has begun.</summary>
    /// <param name="stream">The flow.</param>
    void Start(Iperf2Stream stream);

    /// <summary>An interval of a flow, or of all flows together, is over.</summary>
    /// <param name="interval">Its counts.</param>
    void Report(Iperf2Interval interval);

    /// <summary>A flow has ended at its server.</summary>
    /// <param name="received">What became of it.</param>
    void Finish(Iperf2Received received);

    /// <summary>Something else happened that people should know.</summary>
    /// <param name="message">One line. It holds no text of a stranger but addresses.</param>
    void Notice(string message);
}
