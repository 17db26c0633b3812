using Spate.Cli.Iperf.Iperf3.Flows;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Iperf.Iperf3.Servers;

/// <summary>What a server does not let a running test do. One thread.</summary>
internal sealed class TestWatchdog(
    DataRun run, Iperf3Parameters parameters, Iperf3ServerOptions options, TimeProvider time)
{
    private const int BitsPerByte = 8;

    // iperf3's server gives up so long after the end that was agreed on (iperf_server_api.c).
    private static readonly TimeSpan SpareTime = TimeSpan.FromSeconds(40);

    private readonly Queue<(TimeSpan At, long Bytes)> _course = new();
    private readonly SilenceWatch _silence = new(run.Traffic, options.ReceiveTimeout, time);

    /// <summary>What the client is told; null while all is well.</summary>
    public (int Code, string Text)? Fault()
    {
        if (parameters.Seconds > 0
            && run.Elapsed > TimeSpan.FromSeconds(parameters.OmitSeconds + parameters.Seconds) + SpareTime)
        {
            return (Iperf3Error.DurationExpired, "the client has not ended its test in time");
        }

        if (_silence.IsSilent())
        {
            return (Iperf3Error.NoData, $"no datagram came for {options.ReceiveTimeout.TotalSeconds:0.###} s");
        }

        return options.MaxBitsPerSecond > 0 && Rate() > options.MaxBitsPerSecond
            ? (Iperf3Error.TotalRate, $"the rate is above the limit of {options.MaxBitsPerSecond} bit/s")
            : null;
    }

    /// <summary>Payload bits a second over the time of the limit; 0 until that time has passed once.</summary>
    private double Rate()
    {
        TimeSpan now = run.Elapsed;
        long bytes = run.Counts.Sum(static count => count.All.Bytes);
        _course.Enqueue((now, bytes));
        while (_course.Count > 2 && now - _course.ElementAt(1).At >= options.RateTime) _ = _course.Dequeue();
        (TimeSpan at, long then) = _course.Peek();
        return now - at < options.RateTime
            ? 0
            : BitsPerByte * Statistics.Ratio(bytes - then, (now - at).TotalSeconds);
    }
}
