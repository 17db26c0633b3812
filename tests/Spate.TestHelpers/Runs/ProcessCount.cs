namespace Spate.TestHelpers.Runs;

/// <summary>
/// Counts the processes of the tool and of samples that the tests start, since each takes some tenths of a second of a
/// CPU: one line per process, which test.sh counts, in the folder that <c>SPATE_TEST_PROCESSES</c> names. Each test
/// program has a file of its own there, since programs that append to one file at once overwrite each other's lines.
/// </summary>
internal static class ProcessCount
{
    private static readonly string? Folder = Environment.GetEnvironmentVariable("SPATE_TEST_PROCESSES");
    private static readonly Lock FileLock = new();

    /// <summary>Adds one line per process, with the test that starts it.</summary>
    public static void Add(int count = 1)
    {
        if (Folder is null) return;

        string test = TestContext.Current.TestCase?.TestCaseDisplayName ?? "(no test)";
        string path = Path.Combine(Folder, $"{Environment.ProcessId}");
        lock (FileLock)
        {
            File.AppendAllLines(path, Enumerable.Repeat(test.ReplaceLineEndings(" "), count));
        }
    }
}
