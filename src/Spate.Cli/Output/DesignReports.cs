using Spate.Cli.Options;
using Spate.HostTuning;
using Spate.Measurement;
using Spate.Measurement.Bench.Designs;

namespace Spate.Cli.Output;

/// <summary>Turns a comparison of server designs into the report that is written as JSON.</summary>
internal static class DesignReports
{
    private const double LeastShareToName = 0.0005;

    public static DesignsReport Of(DesignResult result)
    {
        MemoryUsage memory = MemoryUsage.Read();
        return new DesignsReport
        {
            Rounds = result.RoundCount,
            Seconds = result.TotalSeconds,
            SizeBytes = result.Options.SizeBytes,
            DatagramsPerRound = result.DatagramsPerRound,
            NanosecondsPerWorkRound = result.NanosecondsPerWorkRound,
            Notes = [.. result.Rows.SelectMany(row => NotesOf(row, result)).Distinct(StringComparer.Ordinal)],
            Rows = [.. result.Rows.Select(Of)],
            Threads =
            [
                ThreadOf("send", result.GeneratorCpu),
                .. result.Options.ServerCpus.Select(static cpu => ThreadOf("receive", cpu)),
            ],
            Flows = result.Options.FlowCount ?? result.Options.ThreadCounts.Max(),
            Demotions = result.Rows.Sum(static row => row.Demotions),
            BufferAskedBytes = result.Options.BufferBytes,
            BufferGrantedBytes = result.Rows.Max(static row => row.BufferGrantedBytes),
            ResidentBytes = memory.ResidentBytes,
            ResidentPeakBytes = memory.ResidentPeakBytes,
        };
    }

    private static DesignRow Of(DesignRowResult row) => new()
    {
        Design = row.Name,
        WorkRounds = row.WorkRounds,
        ThreadCount = row.ThreadCount,
        DatagramsPerSecond = row.DatagramsPerSecond,
        ProcessedPercent = row.ProcessedPercent,
        NanosecondsPerDatagram = row.NanosecondsPerDatagram,
        AllocatedBytesPerDatagram = row.AllocatedBytesPerDatagram,
        InterruptsPerSecond = row.InterruptsPerSecond,
        LockedBytes = row.LockedBytes,
        Threads = [.. row.Threads.Select(static thread => new DesignThreadRow
        {
            Datagrams = thread.Datagrams,
            Calls = thread.Calls,
            LeastPerCall = thread.LeastPerCall,
            MeanPerCall = thread.MeanPerCall,
            MostPerCall = thread.MostPerCall,
            VoluntarySwitches = thread.VoluntarySwitches,
            InvoluntarySwitches = thread.InvoluntarySwitches,
        })],
        SpreadPercent = row.SpreadPercent,
    };

    private static IEnumerable<string> NotesOf(DesignRowResult row, DesignResult result)
    {
        if (row.Name is "ring" && !row.Backend.ToString().Equals("Uring", StringComparison.Ordinal))
        {
            yield return $"ring: io_uring cannot be had here, {BackendText.NameOf(row.Backend)} filled the batches";
        }

        string name = $"{row.Name}, work {row.WorkRounds}, {row.ThreadCount} threads";
        long missing = row.Sent - row.Handled;
        if (missing > 0)
        {
            yield return $"{name}: {Units.Count(missing)} of {Units.Count(row.Sent)} were not handled: "
                + WhereTheyWent(row, missing);
        }

        long asked = result.DatagramsPerRound * row.RoundCount;
        if (row.Sent + row.Refused < asked)
        {
            yield return $"{name}: there was time to send {Units.Count(row.Sent)} of {Units.Count(asked)}";
        }

        if (row.Refused > 0)
        {
            yield return $"{name}: the system refused to send {Units.Count(row.Refused)}, not among those sent";
        }

        if (row.Demotions > 0)
        {
            yield return $"{name}: the route refused {row.Demotions} trains, which were sent plainly";
        }
    }

    private static string WhereTheyWent(DesignRowResult row, long missing)
    {
        bool isCoalesced = row.Name.EndsWith("-gro", StringComparison.Ordinal);
        string unit = isCoalesced ? "coalesced buffers" : "datagrams";
        string drops = row.KernelDrops is long kernel
            ? $"{Units.Count(kernel)} {unit} dropped by the kernel, the receive buffer being full"
            : "the kernel does not count its drops here";
        if (row.BacklogDrops is long backlog and > 0)
        {
            drops += $", {Units.Count(backlog)} before the socket (net.core.netdev_max_backlog, whole system)";
        }

        long named = (row.KernelDrops ?? missing) + (row.BacklogDrops ?? 0);
        bool isOpen = !isCoalesced && missing - named > row.Sent * LeastShareToName;
        return isOpen ? drops + $", {Units.Count(missing - named)} not accounted for" : drops;
    }

    private static ThreadReport ThreadOf(string role, int? cpuIndex) => new()
    {
        Role = role,
        Cpu = cpuIndex,
        Node = CpuFacts.Read().All.FirstOrDefault(cpu => cpu.Number == cpuIndex)?.Node,
    };
}
