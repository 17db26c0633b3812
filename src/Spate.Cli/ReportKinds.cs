using Spate.Cli.Bench;
using Spate.Cli.Comparison;
using Spate.Cli.Doctor;
using Spate.Cli.Gateway;
using Spate.Cli.Info;
using Spate.Cli.Plan;
using Spate.Cli.Serve;
using Spate.Cli.Tune;
using Spate.Cli.Watch;
using Spate.Measurement.PathTest;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Cli;

/// <summary>The reports of all commands, for the commands that read reports.</summary>
internal static class ReportKinds
{
    public static ReportReader Reader { get; } = new(
    [
        new ReportKind(InfoReport.KindName, static () => InfoJson.Default.InfoReport),
        new ReportKind(TrafficReport.SendKind, static () => TrafficJson.Default.TrafficReport),
        new ReportKind(TrafficReport.ReceiveKind, static () => TrafficJson.Default.TrafficReport),
        TestReport.ReadableKind,
        new ReportKind(ServeReport.KindName, static () => ServeJson.Default.ServeReport),
        new ReportKind(GatewayReport.KindName, static () => GatewayJson.Default.GatewayReport),
        new ReportKind(GatewayReadReport.KindName, static () => GatewayJson.Default.GatewayReadReport),
        .. BenchCommand.Kinds,
        new ReportKind(CompareReport.KindName, static () => CompareJson.Default.CompareReport),
        new ReportKind(PlanReport.KindName, static () => PlanJson.Default.PlanReport),
        new ReportKind(DoctorReport.KindName, static () => DoctorJson.Default.DoctorReport),
        new ReportKind(TuneReport.KindName, static () => TuneJson.Default.TuneReport),
        new ReportKind(WatchReport.KindName, static () => WatchJson.Default.WatchReport),
    ]);
}
