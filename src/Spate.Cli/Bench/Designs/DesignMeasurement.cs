using Spate.Measurement.Arithmetic;

namespace Spate.Cli.Bench.Designs;

/// <summary>The counts of one row in one round. A figure that the system does not tell is null.</summary>
internal sealed record DesignMeasurement
{
    /// <summary>Datagrams that the system accepted from the generator.</summary>
    public required long Sent { get; init; }

    public required long Handled { get; init; }

    /// <summary>Datagrams dropped at the server's sockets. With coalescing the kernel counts buffers instead.</summary>
    public required long? KernelDrops { get; init; }

    /// <summary>Datagrams that the whole system dropped before its sockets.</summary>
    public required long? BacklogDrops { get; init; }

    /// <summary>Datagrams that the UDP of the whole host could not deliver, for all programs.</summary>
    public long? HostUdpErrors { get; init; }

    public required long Refused { get; init; }

    /// <summary>The time from the first datagram sent to the last one handled.</summary>
    public required TimeSpan Elapsed { get; init; }

    public required TimeSpan Sending { get; init; }

    public required long? GeneratorCpuNanoseconds { get; init; }

    public required long? ServerCpuNanoseconds { get; init; }

    /// <summary>Bytes that the whole process allocated during the round.</summary>
    public required long AllocatedBytes { get; init; }

    /// <summary>Interrupts of the whole system during the round.</summary>
    public required long? Interrupts { get; init; }

    /// <summary>Bytes of the process's memory that cannot be paged out.</summary>
    public required long? LockedBytes { get; init; }

    /// <summary>Bytes of the kernel's non-paged pool that are charged to the process.</summary>
    public long? NonPagedPoolBytes { get; init; }

    /// <summary>The receive buffer that the system granted to one socket, in bytes.</summary>
    public required long BufferGrantedBytes { get; init; }

    public required UdpBackend Backend { get; init; }

    public required long GsoFallbacks { get; init; }

    /// <summary>The server's threads. A thread that receives for others comes first.</summary>
    public required IReadOnlyList<DesignThreadRow> Threads { get; init; }

    public double DatagramsPerSecond => Statistics.Ratio(Handled, Elapsed.TotalSeconds);

    public double? NanosecondsPerDatagram =>
        ServerCpuNanoseconds is long cpu ? Statistics.Ratio(cpu, Handled) : null;

    public double? GeneratorNanosecondsPerDatagram =>
        GeneratorCpuNanoseconds is long cpu ? Statistics.Ratio(cpu, Sent) : null;

    public double AllocatedBytesPerDatagram => Statistics.Ratio(AllocatedBytes, Handled);

    public double? InterruptsPerSecond =>
        Interrupts is long interrupts ? Statistics.Ratio(interrupts, Elapsed.TotalSeconds) : null;
}
