using System.CommandLine;
using System.Text.Json.Serialization;
using Spate.Cli.Bench.Designs;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.PingPong;
using Spate.Cli.Bench.Relay;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Sessions;
using Spate.Cli.Bench.Sockets;
using Spate.Cli.Bench.Sweep;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Shell.Output;
using Spate.Measurement.Reports;

namespace Spate.Cli.Bench;

/// <summary>
/// <c>spate bench</c>, the comparison of all ways to move datagrams, with the other benches below it. A new bench is
/// listed here.
/// </summary>
internal static class BenchCommand
{
    /// <summary>The reports of all benches, for the commands that read reports.</summary>
    public static IReadOnlyList<ReportKind> Kinds { get; } =
    [
        Kind<BenchReport>(BenchReport.KindName),
        Kind<DrainReport>(DrainReport.KindName),
        Kind<DesignsReport>(DesignsReport.KindName),
        Kind<PingPongReport>(PingPongReport.KindName),
        Kind<RelayReport>(RelayReport.KindName),
        Kind<SessionsReport>(SessionsReport.KindName),
        Kind<SocketsReport>(SocketsReport.KindName),
        Kind<SweepReport>(SweepReport.KindName),
    ];

    public static Command Create(Streams streams) => ThroughputBench.Define().CreateCommand(
        streams,
        new BenchSweep(SweepBench.OfThroughput, "--cpu", "--peers")
        {
            RowNames = static () => ThroughputBench.RowNames,
        },
        DrainBench.Define().CreateCommand(streams, new BenchSweep(SweepBench.OfDrain, "--cpu")),
        SessionsBench.Define().CreateCommand(streams),
        SocketsBench.Define().CreateCommand(streams),
        PingPongBench.Define().CreateCommand(streams),
        RelayBench.Define().CreateCommand(streams),
        DesignsBench.Define().CreateCommand(streams));

    private static ReportKind Kind<TReport>(string name) =>
        new(name, static () => RoundsReport.TypeOf(typeof(TReport)));
}

/// <summary>The JSON of the reports.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(BenchReport))]
[JsonSerializable(typeof(DrainReport))]
[JsonSerializable(typeof(SessionsReport))]
[JsonSerializable(typeof(SocketsReport))]
[JsonSerializable(typeof(PingPongReport))]
[JsonSerializable(typeof(RelayReport))]
[JsonSerializable(typeof(DesignsReport))]
[JsonSerializable(typeof(SweepReport))]
internal sealed partial class BenchJson : JsonSerializerContext;
