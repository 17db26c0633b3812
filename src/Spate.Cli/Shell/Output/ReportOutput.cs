using Spate.Measurement.Reports;
using Spate.Measurement.Reports.Conditions;

namespace Spate.Cli.Shell.Output;

/// <summary>The end of every command that has a report: JSON is written, conditions are judged.</summary>
internal sealed class ReportOutput : IDisposable
{
    private readonly ReportOptions _request;
    private readonly Streams _streams;
    private readonly JsonOutput? _json;

    private readonly bool _isSeries;

    private ReportOutput(ReportOptions request, Streams streams, bool isSeries)
    {
        _request = request;
        _streams = streams;
        _isSeries = isSeries;
        _json = JsonOutput.Open(request.JsonPath, streams);
    }

    public bool TakesStandardOutput => _json?.IsStandardOutput == true;

    /// <summary>
    /// Checks before the run that the JSON can be written. Call it before a <see cref="StopSignal"/> takes the signals:
    /// it waits for the reader of a named pipe, and Ctrl-C must end that.
    /// </summary>
    /// <param name="isSeries">Whether reports of parts come ahead: then each report is one line of JSON.</param>
    public static ReportOutput Open(ReportOptions request, Streams streams, bool isSeries = false) =>
        new(request, streams, isSeries);

    /// <summary>Writes the JSON of a part of the run as one line, at once. No condition is judged.</summary>
    public void Add(Report part) => _json?.Add(ReportJson.Serialize(part, indented: false));

    /// <summary>Writes the JSON, then a line on stderr for each condition with which the check fails.</summary>
    /// <param name="exitCode">The exit code of the command but for the conditions.</param>
    /// <returns><see cref="ExitCode.CheckFailed"/> if the check of a run that is otherwise done failed.</returns>
    public int Finish(Report report, int exitCode = ExitCode.Done)
    {
        _json?.Write(ReportJson.Serialize(report, indented: !_isSeries));
        IReadOnlyList<string> failures = ReportCondition.Judge(_request.Conditions, report);
        foreach (string failure in failures)
        {
            _streams.Notice($"check failed: {failure}");
        }

        return failures.Count > 0 && exitCode == ExitCode.Done ? ExitCode.CheckFailed : exitCode;
    }

    public void Dispose() => _json?.Dispose();
}

/// <summary>What a command is to do with its report besides the text for people.</summary>
/// <param name="JsonPath">A file, <c>-</c> for stdout, or null for no JSON.</param>
internal sealed record ReportOptions(
    string? JsonPath, IReadOnlyList<ReportCondition> Conditions, bool ShowsAllCores = false);
