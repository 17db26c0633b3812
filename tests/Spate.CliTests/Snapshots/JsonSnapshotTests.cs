using Spate.Cli;
using Spate.Measurement.Reports;

namespace Spate.CliTests.Snapshots;

/// <summary>
/// The JSON of each kind of report has the recorded keys, in their order, with the recorded types. It is that of
/// reports of which every part is there, and of others without all that may be null.
/// </summary>
public sealed class JsonSnapshotTests
{
    [Fact]
    public void Json_OfEveryKind_IsAsRecorded()
    {
        NativeTool.SkipAsInside("it makes up the reports");

        Recorded.AssertSame("Json", ReportKinds.Reader.Kinds.ToDictionary(
            static kind => kind.Name, static kind => ShapeOf(kind.Type().Type), StringComparer.Ordinal));
    }

    private static string ShapeOf(Type type)
    {
        string[] documents =
        [
            .. ((bool[])[false, true]).Select(isSparse => ReportJson.Serialize(
                (Report)new MadeUp(isSparse, listLength: 1).Make(type), indented: false)),
        ];
        return string.Concat(JsonShape.Of(string.Join('\n', documents)).Lines.Select(static line => line + "\n"));
    }
}
