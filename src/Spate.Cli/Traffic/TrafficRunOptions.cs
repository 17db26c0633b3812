using System.Net.Sockets;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Traffic;

/// <summary>The checked values of <see cref="TrafficOptions"/>.</summary>
internal sealed record TrafficRunOptions
{
    public required AddressFamily? Family { get; init; }

    /// <summary>The number of datagrams after which the run ends; null for no such end.</summary>
    public required long? DatagramCount { get; init; }

    /// <summary>The time after which the run ends; null for no such end.</summary>
    public required TimeSpan? Duration { get; init; }

    public required int FlowCount { get; init; }

    /// <summary>Time between two lines; zero for a summary only.</summary>
    public required TimeSpan Interval { get; init; }

    public required CpuChoice Cpus { get; init; }

    /// <summary>Whether all CPUs of the host are shown.</summary>
    public required bool ShowsAllCores { get; init; }

    public required TransportOptions Transport { get; init; }

    public required ReportOptions Report { get; init; }
}
