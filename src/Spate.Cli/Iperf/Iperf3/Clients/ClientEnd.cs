using Spate.Cli.Iperf.Iperf3.Flows;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Cli.Iperf.Iperf3.Clients;

/// <summary>When a client ends the data. One thread.</summary>
internal sealed class ClientEnd(
    DataRun run, Iperf3Parameters parameters, Iperf3ClientOptions options, TimeProvider time)
{
    private static readonly TimeSpan StepTime = TimeSpan.FromMilliseconds(20);

    // Where an amount ends the test and this end counts what has arrived, the steps decide how much too much it is.
    private static readonly TimeSpan ShortStepTime = TimeSpan.FromMilliseconds(1);

    // Senders end by their own clock, which began a little earlier.
    private static readonly TimeSpan SendSpareTime = TimeSpan.FromMilliseconds(100);

    private readonly SilenceWatch _silence = new(run.Traffic, options.ReceiveTimeout, time);

    public bool IsAmount => parameters.Bytes > 0 || parameters.Blocks > 0;

    /// <summary>Throws an <see cref="Iperf3Exception"/> where nothing was received for too long.</summary>
    public bool IsReached()
    {
        if (run.Traffic.Sends && run.Traffic.IsSendingOver) return true;

        ThrowIfSilent();
        return IsAmount
            ? HasAmount(sends: true) || HasAmount(sends: false)
            : run.Elapsed >= (run.Traffic.Sends ? Time + SendSpareTime : Time);
    }

    public TimeSpan Step =>
        NeedsShortSteps || run.Elapsed >= Time ? ShortStepTime : run.TimeToTick(Time, StepTime);

    private bool NeedsShortSteps => IsAmount && (run.Traffic.Receives || parameters.OmitSeconds > 0);

    private TimeSpan? Time => parameters.Seconds > 0
        ? TimeSpan.FromSeconds(parameters.OmitSeconds + parameters.Seconds)
        : null;

    private bool HasAmount(bool sends)
    {
        if (run.IsOmitting) return false;

        Iperf3Counts[] counts = [.. run.Streams(sends).Select(static count => count.Measured)];
        return parameters.Bytes > 0
            ? counts.Sum(static count => count.Bytes) >= parameters.Bytes
            : counts.Sum(static count => count.Packets) >= parameters.Blocks;
    }

    private void ThrowIfSilent()
    {
        if (!_silence.IsSilent()) return;

        throw new Iperf3Exception(
            $"no datagram came for {options.ReceiveTimeout.TotalSeconds:0.###} s: is UDP from the server let through?");
    }
}
