using Spate.Cli.Iperf.Iperf2.Results;

namespace Spate.Cli.Iperf.Iperf2.Ends;

/// <summary>Lets several threads tell one observer, one at a time.</summary>
internal sealed class Iperf2ObserverGate(IIperf2Observer inner) : IIperf2Observer
{
    private readonly Lock _gate = new();

    public void Start(Iperf2Stream stream)
    {
        lock (_gate) inner.Start(stream);
    }

    public void Report(Iperf2Interval interval)
    {
        lock (_gate) inner.Report(interval);
    }

    public void Finish(Iperf2Received received)
    {
        lock (_gate) inner.Finish(received);
    }

    public void Finish(IReadOnlyList<Iperf2Sent> flows)
    {
        lock (_gate) inner.Finish(flows);
    }

    public void Notice(string message)
    {
        lock (_gate) inner.Notice(message);
    }
}
