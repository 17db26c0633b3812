using Spate.Measurement.Traffic;

namespace Spate.Cli.Tune.Trials;

/// <summary>The two ends between which trials are measured. One thread uses them.</summary>
internal abstract class TrialEnds : IDisposable
{
    // Of two short runs as fast as possible the better one is near what the host can do, and the load stays below it:
    // what is lost then is lost to a limit, and not to a host that has too much to do. The nearer, the clearer: with a
    // receive buffer of 212,992 bytes, two CPUs lost 0.1 to 1.7 % at 150,000 a second, and 7 to 9 % at 250,000.
    private const double ShareOfHighest = 0.9;
    private const int FastRuns = 2;

    private static readonly TimeSpan FastDuration = TimeSpan.FromMilliseconds(500);

    public abstract string Description { get; }

    /// <summary>The time beside the measurement: a handshake, the last datagrams and the reports.</summary>
    public virtual TimeSpan SetUpTime { get; } = TimeSpan.FromMilliseconds(300);

    public abstract TrialSample Measure(
        TrialLoad load, IReadOnlyList<int> cpus, CancellationToken cancellationToken);

    /// <summary>Finds a rate that is some 90 % of the highest one between the ends.</summary>
    /// <param name="load">The load, of which the rate is not used.</param>
    /// <returns>Datagrams a second, with two digits that are not 0.</returns>
    public double FindRate(TrialLoad load, CancellationToken cancellationToken)
    {
        TrialLoad fast = load with { DatagramsPerSecond = double.PositiveInfinity, Duration = FastDuration };
        double highest = 0;
        for (int i = 0; i < FastRuns; i++)
        {
            highest = Math.Max(highest, Measure(fast, [], cancellationToken).DatagramsPerSecond);
        }

        double rate = Math.Max(1, ShareOfHighest * highest);
        double unit = Math.Pow(10, Math.Floor(Math.Log10(rate)) - 1);
        return Math.Max(1, Math.Floor(rate / unit) * unit);
    }

    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    protected virtual void Close()
    {
    }
}
