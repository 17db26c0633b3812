using System.Diagnostics;
using System.Text.Json;

namespace Spate.Build.Mutants;

/// <summary>A run of tests until the first failure, the end, or the limit; read from the runner's JSON lines.</summary>
internal sealed class SuiteRun
{
    // The runner waits for the tests that run together with the failed one: at most this long.
    private static readonly TimeSpan AfterFailure = TimeSpan.FromSeconds(10);

    // The nearest first: the clean-up of a fixture belongs to a class or to a collection of classes.
    private static readonly string[] Owners = ["TestMethodUniqueID", "TestClassUniqueID", "TestCollectionUniqueID"];

    // The filters that run the owners again: a method, or the methods of a class.
    private readonly Dictionary<string, string> _filters = new(StringComparer.Ordinal);
    private readonly Dictionary<string, long> _running = new(StringComparer.Ordinal);
    private readonly HashSet<string> _failed = new(StringComparer.Ordinal);
    private string _last = "(unknown test)";

    /// <summary>Full names of the test methods that failed, or of classes with <c>.*</c>.</summary>
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

    internal void Take(string line)
    {
        if (!line.StartsWith("{\"$type\":\"", StringComparison.Ordinal)) return;
        using JsonDocument document = Parse(line);
        JsonElement message = document.RootElement;
        switch (Text(message, "$type"))
        {
            case "test-class-starting":
                string all = Text(message, "TestClassName") + ".*";
                _filters[Text(message, "TestClassUniqueID")] = all;
                _filters[Text(message, "TestCollectionUniqueID")] = all;
                break;
            case "test-method-starting":
                _last = $"{Owner(message)[..^1]}{Text(message, "MethodName")}";
                _filters[Text(message, "TestMethodUniqueID")] = _last;
                _running[_last] = Stopwatch.GetTimestamp();
                break;
            case "test-method-finished":
                _running.Remove(Owner(message));
                break;
            case "test-passed":
                Passed++;
                break;
            case "test-failed" or "error":
            case string type when type.EndsWith("-cleanup-failure", StringComparison.Ordinal):
                _failed.Add(Owner(message));
                break;
        }
    }

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

    // A failure outside all classes can come with any test.
    private string Owner(JsonElement message) =>
        Owners.Select(id => _filters.GetValueOrDefault(Text(message, id))).FirstOrDefault(one => one is not null)
        ?? _last;

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
