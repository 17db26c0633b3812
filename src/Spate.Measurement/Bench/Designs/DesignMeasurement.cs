using Spate.Measurement.Arithmetic;

namespace Spate.Measurement.Bench.Designs;

/// <summary>What one row did in one round, as counted. Null is what the system does not tell.</summary>
internal sealed record DesignMeasurement
{
    /// <summary>Datagrams that the system accepted from the generator.</summary>
    public required long Sent { get; init; }

    /// <summary>Datagrams that handlers counted.</summary>
    public required long Handled { get; init; }

    /// <summary>Dropped at the server's sockets; with coalescing the kernel counts buffers.</summary>
    public required long? KernelDrops { get; init; }

    /// <summary>Dropped on the way to the sockets, by the whole system.</summary>
    public required long? BacklogDrops { get; init; }

    /// <summary>Datagrams that the system refused to send.</summary>
    public required long Refused { get; init; }

    /// <summary>From the first datagram sent to the last one handled.</summary>
    public required TimeSpan Elapsed { get; init; }

    /// <summary>How long the generator sent.</summary>
    public required TimeSpan Sending { get; init; }

    /// <summary>CPU time of the generator's thread.</summary>
    public required long? GeneratorCpuNanoseconds { get; init; }

    /// <summary>CPU time of all the server's threads.</summary>
    public required long? ServerCpuNanoseconds { get; init; }

    /// <summary>Bytes that the whole process allocated meanwhile.</summary>
    public required long AllocatedBytes { get; init; }

    /// <summary>Interrupts of the whole system meanwhile.</summary>
    public required long? Interrupts { get; init; }

    /// <summary>Memory of the process that cannot be paged out.</summary>
    public required long? LockedBytes { get; init; }

    /// <summary>Receive buffer granted, of one socket.</summary>
    public required long BufferGrantedBytes { get; init; }

    /// <summary>The backend of the server's sockets.</summary>
    public required UdpBackend Backend { get; init; }

    /// <summary>Trains that the route refused.</summary>
    public required long Demotions { get; init; }

    /// <summary>The server's threads, the one that receives for others first.</summary>
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
