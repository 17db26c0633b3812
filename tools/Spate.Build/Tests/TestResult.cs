using System.Globalization;
using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace Spate.Build.Tests;

/// <summary>How a test ended.</summary>
internal enum TestOutcome
{
    Passed,
    Failed,
    Skipped,

    /// <summary>It ran, and had too little of a CPU to judge by: see <see cref="TestResult.NotJudgedMark"/>.</summary>
    NotJudged,

    /// <summary>It passed without a process of the native tool: see <see cref="TestResult.OfNativeRun"/>.</summary>
    NotNative,
}

/// <summary>One test of a run, or an error outside a test, which has no method.</summary>
/// <param name="Method">The method with its namespace and type; null for an error that is no test's.</param>
/// <param name="Name">The method with its arguments.</param>
/// <param name="Outcome">How it ended.</param>
/// <param name="Message">Why it failed or was skipped.</param>
/// <param name="Seconds">How long it took.</param>
internal sealed partial record TestResult(
    string? Method, string Name, TestOutcome Outcome, string Message, double Seconds)
{
    /// <summary>The prefix of the skip reason of a test without a CPU; NotJudged of the tests writes it.</summary>
    public const string NotJudgedMark = "not judged: ";

    /// <summary>The seed that the test printed; null for a test that is not random.</summary>
    public string? Seed { get; init; }

    /// <summary>Whether it was skipped since it takes long, as TestWidth of the tests says.</summary>
    public bool IsForLongRun => Message.StartsWith("SPATE_LONG=1: ", StringComparison.Ordinal);

    /// <summary>Whether it ran a process of the native tool; NativeTool of the tests prints the line.</summary>
    public bool RanNative { get; init; }

    /// <summary>Whether it was skipped since its command must be in the test's process, as NativeTool says.</summary>
    public bool StaysInside =>
        Message.StartsWith("the command is in the test's process: ", StringComparison.Ordinal);

    /// <summary>The result in a run of the native tool, where a pass without it shows nothing.</summary>
    public TestResult OfNativeRun() =>
        Outcome == TestOutcome.Passed && !RanNative ? this with { Outcome = TestOutcome.NotNative } : this;

    /// <summary>Whether it was skipped since there is no native tool, as NativeTool of the tests says.</summary>
    public bool IsForNativeRun => Message.StartsWith("SPATE_NATIVE_TOOL: ", StringComparison.Ordinal);

    /// <summary>Whether it needs programs published for Windows, as WindowsPrograms of the tests says.</summary>
    public bool IsForWindowsRun => Message.StartsWith("SPATE_WINDOWS: ", StringComparison.Ordinal);

    /// <summary>Whether an option of test.sh runs it.</summary>
    public bool IsForAnotherRun => IsForLongRun || IsForNativeRun || IsForWindowsRun;

    /// <summary>Reads the XML report that a test program leaves.</summary>
    /// <exception cref="BuildException">There is no report, or it is cut off or another file.</exception>
    public static List<TestResult> ReadReport(string path)
    {
        try
        {
            XElement root = XDocument.Load(path).Root!;
            List<TestResult> results = [.. root.Descendants("test").Select(OfTest)];
            results.AddRange(root.Descendants("error").Select(static error => new TestResult(
                null, $"{error.Attribute("type")?.Value} {error.Attribute("name")?.Value}", TestOutcome.Failed,
                Text(error, "message"), 0)));
            return results;
        }
        catch (Exception fault) when (fault is IOException or System.Xml.XmlException or FormatException)
        {
            throw new BuildException($"it left no report of its tests: {fault.Message}");
        }
    }

    private static TestResult OfTest(XElement test)
    {
        string method = $"{Attribute(test, "type")}.{Attribute(test, "method")}";
        string name = Attribute(test, "name");
        double seconds = double.Parse(test.Attribute("time")?.Value ?? "0", CultureInfo.InvariantCulture);
        string reason = Text(test, "reason");
        string output = Text(test, "output");
        Match seed = SeedLine().Match(output);
        TestResult result = Attribute(test, "result") switch
        {
            "Pass" => new TestResult(method, name, TestOutcome.Passed, "", seconds),
            "Fail" => new TestResult(
                method, name, TestOutcome.Failed, $"{Text(test, "message")}\n{Text(test, "stack-trace")}", seconds),
            _ when reason.StartsWith(NotJudgedMark, StringComparison.Ordinal) =>
                new TestResult(method, name, TestOutcome.NotJudged, reason, seconds),
            _ => new TestResult(method, name, TestOutcome.Skipped, reason, seconds),
        };
        return result with
        {
            Seed = seed.Success ? seed.Groups["seed"].Value : null,
            RanNative = output.Contains("SPATE_NATIVE_TOOL ran", StringComparison.Ordinal),
        };
    }

    [GeneratedRegex("SPATE_SEED=(?<seed>-?[0-9]+)", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 10_000)]
    private static partial Regex SeedLine();

    private static string Attribute(XElement test, string name) =>
        test.Attribute(name)?.Value ?? throw new FormatException($"a test has no {name}");

    private static string Text(XElement element, string name) =>
        element.Descendants(name).FirstOrDefault()?.Value ?? "";
}
