using System.Diagnostics;
using System.Text.Json;

namespace Spate.Build.Mutants;

/// <summary>A run of tests until the first failure, the end, or the limit; read from the runner's JSON lines.</summary>
internal sealed class SuiteRun
{
    // The runner waits for the tests that run together with the failed one: at most this long.
    private static readonly TimeSpan AfterFailure = TimeSpan.FromSeconds(10);

    private readonly Dictionary<string, string> _classes = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string> _methods = new(StringComparer.Ordinal);
    private readonly Dictionary<string, long> _running = new(StringComparer.Ordinal);
    private readonly HashSet<string> _failed = new(StringComparer.Ordinal);

    /// <summary>Full names of the test methods that failed.</summary>
    public IReadOnlyCollection<string> Failed => _failed;

    public int Passed { get; private set; }

    /// <summary>Whether the limit ended the run.</summary>
    public bool IsCut { get; private set; }

    /// <summary>Whether the program ended without the runner's last line.</summary>
    public bool IsCrashed { get; private set; }

    public override string ToString() =>
        $"{Passed} passed, {Failed.Count} failed{(IsCut ? ", cut at the limit" : IsCrashed ? ", crashed" : "")}";

    public static Task<SuiteRun> OfAsync(
        WorkCopy copy, Stage stage, IEnumerable<string> left, TimeSpan limit, CancellationToken stop) => OfAsync(
        copy, stage.Program,
        [
            .. stage.Included.SelectMany(one => (string[])["-namespace", one]),
            .. stage.Excluded.SelectMany(one => (string[])["-namespace-", one]),
            .. left.SelectMany(one => (string[])["-method-", one]),
        ],
        limit, stop);

    public static Task<SuiteRun> OfAsync(
        WorkCopy copy, TestProgram program, string method, TimeSpan limit, CancellationToken stop) =>
        OfAsync(copy, program, ["-method", method], limit, stop);

    /// <summary>Tests that ran for at least this long when the program was ended.</summary>
    public IEnumerable<string> RunningFor(TimeSpan time) => _running
        .Where(one => Stopwatch.GetElapsedTime(one.Value) >= time).OrderBy(one => one.Value).Select(one => one.Key);

    private static async Task<SuiteRun> OfAsync(
        WorkCopy copy, TestProgram program, string[] filters, TimeSpan limit, CancellationToken stop)
    {
        var run = new SuiteRun();
        using var end = CancellationTokenSource.CreateLinkedTokenSource(stop);
        end.CancelAfter(limit);
        bool isComplete = false;
        string[] arguments =
        [
            program.AssemblyIn(copy.Top), "-noLogo", "-noColor", "-noAutoReporters", "-stopOnFail", "-reporter", "json",
            .. filters,
        ];
        int? code = await copy.Child.TryRunAsync(copy.Top, "dotnet", arguments, Take, end.Token);
        copy.Child.EndAll();
        stop.ThrowIfCancellationRequested();
        run.IsCut = code is null && run._failed.Count == 0;
        run.IsCrashed = code is not null && !isComplete;
        return run;

        void Take(string line)
        {
            isComplete |= line.Contains("\"$type\":\"test-assembly-finished\"", StringComparison.Ordinal);
            int failed = run._failed.Count;
            run.Take(line);
            if (failed == 0 && run._failed.Count > 0) end.CancelAfter(AfterFailure);
        }
    }

    private void Take(string line)
    {
        if (!line.StartsWith("{\"$type\":\"test-", StringComparison.Ordinal)) return;
        using JsonDocument document = Parse(line);
        JsonElement message = document.RootElement;
        switch (Text(message, "$type"))
        {
            case "test-class-starting":
                _classes[Text(message, "TestClassUniqueID")] = Text(message, "TestClassName");
                break;
            case "test-method-starting":
                string name =
                    $"{_classes.GetValueOrDefault(Text(message, "TestClassUniqueID"))}.{Text(message, "MethodName")}";
                _methods[Text(message, "TestMethodUniqueID")] = name;
                _running[name] = Stopwatch.GetTimestamp();
                break;
            case "test-method-finished":
                _running.Remove(_methods.GetValueOrDefault(Text(message, "TestMethodUniqueID"), ""));
                break;
            case "test-passed":
                Passed++;
                break;
            case "test-failed":
                _failed.Add(_methods.GetValueOrDefault(Text(message, "TestMethodUniqueID"), "(unknown test)"));
                break;
        }
    }

    // A program that is killed can leave half a line, and a test can print between two.
    private static JsonDocument Parse(string line)
    {
        try
        {
            return JsonDocument.Parse(line);
        }
        catch (JsonException)
        {
            return JsonDocument.Parse("{}");
        }
    }

    private static string Text(JsonElement message, string name) =>
        message.TryGetProperty(name, out JsonElement value) ? value.GetString() ?? "" : "";
}
