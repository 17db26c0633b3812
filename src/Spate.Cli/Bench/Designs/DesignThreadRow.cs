using System.Text.Json.Serialization;

namespace Spate.Cli.Bench.Designs;

/// <summary>One thread of a design in the median round.</summary>
internal sealed record DesignThreadRow
{
    /// <summary>If it receives for others, the datagrams that it passed to them.</summary>
    public required long Datagrams { get; set; }

    public required long Calls { get; set; }

    /// <summary>0 if there was no call.</summary>
    public required int LeastPerCall { get; set; }

    /// <summary>0 if there was no call.</summary>
    public required double MeanPerCall { get; set; }

    public required int MostPerCall { get; set; }

    /// <summary>Null where the system does not tell.</summary>
    public required long? CpuNanoseconds { get; set; }

    /// <summary>In steps of 10 ms; null where the system does not tell.</summary>
    public required long? UserNanoseconds { get; set; }

    /// <summary>In steps of 10 ms; null where the system does not tell.</summary>
    public required long? SystemNanoseconds { get; set; }

    /// <summary>How often the thread gave up its CPU; null where the system does not tell.</summary>
    public required long? VoluntarySwitches { get; set; }

    /// <summary>How often the thread was taken off its CPU; null where the system does not tell.</summary>
    public required long? InvoluntarySwitches { get; set; }

    /// <summary>Cycles of the processor that it used; null on other systems than Windows.</summary>
    public long? Cycles { get; set; }

    /// <summary>The thread's number in the system (gettid, GetCurrentThreadId); null if unknown.</summary>
    public int? SystemThreadId { get; set; }

    /// <summary>The CPUs that it may run on, for example <c>0-3</c>; null if unknown.</summary>
    public string? AllowedCpuList { get; set; }

    /// <summary>Whether the thread receives for others and runs no handler. Not part of the JSON.</summary>
    [JsonIgnore]
    public bool IsReceiver { get; set; }
}
