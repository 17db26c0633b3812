namespace Spate.CliTests;

/// <summary>
/// Counts the processes of the tool and of samples that the tests start, since each takes some tenths of a second of a
/// CPU: a line each in the file that <c>SPATE_TEST_PROCESSES</c> names, whose lines test.sh counts.
/// </summary>
internal static class ProcessCount
{
    private static readonly string? Path = Environment.GetEnvironmentVariable("SPATE_TEST_PROCESSES");
    private static readonly Lock FileLock = new();

    /// <summary>Adds a line a process, with the test that starts it.</summary>
    public static void Add(int count = 1)
    {
        if (Path is null) return;

        string test = TestContext.Current.TestCase?.TestCaseDisplayName ?? "(no test)";
        lock (FileLock)
        {
            File.AppendAllLines(Path, Enumerable.Repeat(test.ReplaceLineEndings(" "), count));
        }
    }
}
