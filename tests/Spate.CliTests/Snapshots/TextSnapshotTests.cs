using System.Globalization;
using Spate.Cli;
using Spate.Cli.Bench;
using Spate.Cli.Bench.Designs;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.PingPong;
using Spate.Cli.Bench.Relay;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Sessions;
using Spate.Cli.Bench.Sockets;
using Spate.Cli.Bench.Sweep;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Comparison;
using Spate.Cli.Doctor;
using Spate.Cli.Gateway;
using Spate.Cli.Info;
using Spate.Cli.Plan;
using Spate.Cli.Serve;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Test;
using Spate.Cli.Traffic;
using Spate.Cli.Tune;
using Spate.Cli.Watch;
using Spate.Gateway;
using Spate.Measurement.PathTest;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.CliTests.Snapshots;

/// <summary>
/// The text of each kind of report is as recorded, to a pipe and on terminals: of a report of which every part is
/// there, and of another without all that may be null. The figures are made up, and do not agree with each other.
/// </summary>
public sealed class TextSnapshotTests
{
    private const int ListLength = 2;

    // The texts are written only where these are there.
    private static readonly string[] Needed = ["Basis"];

    private static readonly (string Name, bool IsSparse, int? Columns)[] Views =
    [
        ("all, to a pipe", false, null),
        ("all, 80 columns", false, 80),
        ("all, 200 columns", false, 200),
        ("without all that may be null, to a pipe", true, null),
        ("without all that may be null, 80 columns", true, 80),
    ];

    private static readonly Dictionary<string, Action<Report, MadeUp, TerminalWriter>> Texts = new(
        StringComparer.Ordinal)
    {
        ["info"] = Of<InfoReport>(InfoText.Write),
        ["send"] = Of<TrafficReport>((report, made, writer) => WriteTraffic(report, made, writer, isReceiver: false)),
        ["receive"] = Of<TrafficReport>((report, made, writer) => WriteTraffic(report, made, writer, isReceiver: true)),
        ["test"] = Of<TestReport>(WriteTest),
        ["serve"] = Of<ServeReport>(WriteServe),
        ["gateway"] = Of<GatewayReport>(WriteGateway),
        ["gateway-read"] = Of<GatewayReadReport>(static (_, made, writer) =>
            GatewayReadText.Write(made.Make<GatewayFindings>(), writer)),
        ["bench"] = OfBench<BenchReport>(BenchReport.Write),
        ["drain"] = OfBench<DrainReport>(DrainReport.Write),
        ["designs"] = OfBench<DesignsReport>(DesignText.Write),
        ["pingpong"] = OfBench<PingPongReport>(PingPongReport.Write),
        ["relay"] = OfBench<RelayReport>(RelayReport.Write),
        ["sessions"] = OfBench<SessionsReport>(SessionsReport.Write),
        ["sockets"] = OfBench<SocketsReport>(SocketsReport.Write),
        ["sweep"] = OfBench<SweepReport>(SweepReport.Write),
        ["compare"] = Of<CompareReport>(CompareText.Write),
        ["plan"] = Of<PlanReport>(PlanText.Write),
        ["doctor"] = Of<DoctorReport>(static (report, writer) => DoctorText.Write(report, showsAll: true, writer)),
        ["tune"] = Of<TuneReport>(TuneText.Write),
        ["watch"] = Of<WatchReport>(WriteWatch),
    };

    public TextSnapshotTests() => Recorded.SkipUnlessOfThisSystem();

    [Fact]
    public void Text_OfEveryKind_IsAsRecorded()
    {
        NativeTool.SkipAsInside("it makes up the reports");

        Recorded.AssertSame("Text", ReportKinds.Reader.Kinds.ToDictionary(
            static kind => kind.Name,
            static kind => string.Concat(Views.Select(view => Write(kind.Name, kind.Type().Type, view))),
            StringComparer.Ordinal));
    }

    private static string Write(string kind, Type type, (string Name, bool IsSparse, int? Columns) view)
    {
        using var text = new StringWriter(CultureInfo.InvariantCulture);
        var made = new MadeUp(view.IsSparse, ListLength, Needed, Choose);
        var report = (Report)made.Make(type);
        report.Kind = kind;
        Texts[kind](report, made, new TerminalWriter(
            text, view.Columns is { } columns ? () => new TerminalSize(columns, 1000) : null));
        return $"=== {view.Name}\n{text.ToString().Replace("\u001b", "<ESC>", StringComparison.Ordinal)}\n";
    }

    // Words that the texts look at.
    private static string? Choose(string property) => property switch
    {
        "App" => "echo",
        "From" => "client",
        _ => null,
    };

    private static Action<Report, MadeUp, TerminalWriter> Of<T>(Action<T, MadeUp, TerminalWriter> write)
        where T : Report =>
        (report, made, writer) => write((T)report, made, writer);

    private static Action<Report, MadeUp, TerminalWriter> Of<T>(Action<T, TerminalWriter> write)
        where T : Report =>
        (report, _, writer) => write((T)report, writer);

    private static Action<Report, MadeUp, TerminalWriter> OfBench<T>(Action<T, TerminalWriter> write)
        where T : RoundsReport => Of<T>((report, writer) =>
    {
        write(report, writer);
        LimitText.Write(report, showsAllCores: true, writer);
    });

    private static void WriteTraffic(TrafficReport report, MadeUp made, TerminalWriter writer, bool isReceiver)
    {
        var text = new TrafficText(writer, isReceiver, showsAllCores: true, isVerbose: true);
        text.WriteInterval(made.Make<TrafficInterval>());
        text.WriteSummary(report);
    }

    private static void WriteTest(TestReport report, MadeUp made, TerminalWriter writer)
    {
        var text = new TestText(writer, showsAllCores: true, isVerbose: true);
        foreach (bool isReceived in (bool[])[false, true])
        {
            text.WriteInterval(made.Make<TrafficInterval>(), isReceived);
        }

        text.WriteSummary(report);
    }

    private static void WriteServe(ServeReport report, MadeUp made, TerminalWriter writer)
    {
        using var text = new ServeText(writer, showsAllCores: true, isVerbose: true);
        text.WriteInterval(made.Make<ServeInterval>());
        text.WriteSummary(report);
    }

    private static void WriteGateway(GatewayReport report, MadeUp made, TerminalWriter writer)
    {
        var text = new GatewayText(writer, isVerbose: true);
        text.WriteInterval(made.Make<GatewayInterval>());
        text.WriteSummary(report);
    }

    private static void WriteWatch(WatchReport report, MadeUp made, TerminalWriter writer)
    {
        using var text = new WatchText(writer);
        text.WriteInterval(report);
        text.WriteSummary(made.Make<WatchReport>());
    }
}
