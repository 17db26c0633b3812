using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.HostTuning.Reading.Cpus;

namespace Spate.Cli.Iperf.Iperf3.Servers;

/// <summary>What a server does not let a client ask for.</summary>
internal static class ParameterLimits
{
    /// <summary>What the client is told; null where all is well.</summary>
    public static (int Code, string Text)? FindFault(Iperf3Parameters asked, Iperf3ServerOptions options)
    {
        double bitsPerSecond = (double)asked.BitsPerSecond * asked.AllStreamCount;
        if (options.MaxBitsPerSecond > 0 && bitsPerSecond > options.MaxBitsPerSecond)
        {
            return (
                Iperf3Error.TotalRate,
                $"{bitsPerSecond} bit/s were asked for, and the limit is {options.MaxBitsPerSecond}");
        }

        if (options.MaxSeconds > 0 && (asked.Seconds == 0 || asked.Seconds + asked.OmitSeconds > options.MaxSeconds))
        {
            return (
                Iperf3Error.MaxDuration,
                asked.Seconds == 0
                    ? $"a test without a time was asked for, and the limit is {options.MaxSeconds} s"
                    : $"{asked.Seconds} s were asked for, and the limit is {options.MaxSeconds} s");
        }

        return asked.ServerCpu is { } cpu && !CpuFacts.Read().UsableNumbers.Contains(cpu)
            ? (Iperf3Error.Affinity, $"CPU {cpu} was asked for, and it is not to be had here")
            : null;
    }
}
