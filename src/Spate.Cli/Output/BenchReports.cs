using Spate.HostTuning;
using Spate.Measurement;
using Spate.Measurement.Bench;
using Spate.Measurement.Bench.Drain;
using Spate.Measurement.Bench.Sockets;

namespace Spate.Cli.Output;

/// <summary>Turns what a bench measured into the report that is written as JSON.</summary>
internal static partial class BenchReports
{
    public static BenchReport Of(BenchResult result)
    {
        var report = new BenchReport
        {
            Rounds = result.RoundCount,
            Seconds = result.TotalSeconds,
            Rows = [.. result.Rows.Select(Of)],
            Threads =
            [
                ThreadOf("send", result.Placement.SenderCpu), ThreadOf("receive", result.Placement.ReceiverCpu),
            ],
            Flows = 1,
            Demotions = result.Rows.Sum(static row => row.Demotions),
            BufferAskedBytes = result.BufferAskedBytes,
            BufferGrantedBytes = result.Rows.Max(static row => row.BufferGrantedBytes) ?? 0,
        };
        AddMemory(report);
        return report;
    }

    public static DrainReport Of(DrainResult result)
    {
        var report = new DrainReport
        {
            Rounds = result.Rows.Count == 0 ? 0 : result.Rows.Max(static row => row.RoundCount),
            Rows = [.. result.Rows.Select(static row => new DrainRow
            {
                Name = row.Name,
                SizeBytes = row.SizeBytes,
                ReceiveNanosecondsPerDatagram = row.ReceiveNanosecondsPerDatagram,
                SendNanosecondsPerDatagram = row.SendNanosecondsPerDatagram,
            })],
            Threads = [ThreadOf("drain", result.Cpu)],
            Flows = 1,
            Demotions = result.Rows.Sum(static row => row.Demotions),
            BufferGrantedBytes = result.Rows.Select(static row => row.BufferGrantedBytes).DefaultIfEmpty().Max(),
        };
        AddMemory(report);
        return report;
    }

    public static SocketsReport Of(SocketsResult result)
    {
        var report = new SocketsReport
        {
            Rounds = result.Rows.Max(static row => row.RoundCount),
            Rows = [.. result.Rows.Select(static row => new SocketsRow
            {
                Sockets = row.SocketCount,
                Mode = row.Mode,
                Queued = row.QueuedCount,
                SizeBytes = row.SizeBytes,
                ReceiveNanosecondsPerDatagram = row.ReceiveNanosecondsPerDatagram,
                SpreadPercent = row.SpreadPercent,
            })],
            Threads = [ThreadOf("drain", result.Cpu)],
            Flows = result.Rows.Max(static row => row.SocketCount),
        };
        AddMemory(report);
        return report;
    }

    private static BenchRow Of(BenchRowResult row) => new()
    {
        Name = row.Name,
        SizeBytes = row.SizeBytes,
        DatagramsPerSecond = row.DatagramsPerSecond,
        BitsPerSecond = row.BitsPerSecond,
        LostPercent = row.LostPercent,
        SendNanosecondsPerDatagram = row.SendNanosecondsPerDatagram,
        ReceiveNanosecondsPerDatagram = row.ReceiveNanosecondsPerDatagram,
        AllocatedBytesPerDatagram = row.AllocatedBytesPerDatagram,
        Gen0Collections = row.Gen0Collections,
        DatagramsPerCall = row.DatagramsPerCall,
        SpreadPercent = row.SpreadPercent ?? 0,
    };

    internal static ThreadReport ThreadOf(string role, int? cpuIndex) => new()
    {
        Role = role,
        Cpu = cpuIndex,
        Node = CpuFacts.Read().All.FirstOrDefault(cpu => cpu.Number == cpuIndex)?.Node,
    };

    internal static void AddMemory(Report report)
    {
        MemoryUsage memory = MemoryUsage.Read();
        (report.ResidentBytes, report.ResidentPeakBytes) = (memory.ResidentBytes, memory.ResidentPeakBytes);
    }
}
