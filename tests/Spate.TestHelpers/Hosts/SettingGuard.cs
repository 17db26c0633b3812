namespace Spate.TestHelpers.Hosts;

/// <summary>
/// A process that puts a value back into a file when the pipe to it closes, so also where the test is killed. With a
/// test program end its descendants, and all that has a mark in its environment: the guard is neither.
/// </summary>
internal static class SettingGuard
{
    /// <summary>The words that start it, and end at once: it goes on as no child of the caller's.</summary>
    public static string[] Words(string value, string path) =>
    [
        "env", "-i", "setsid", "-f", "sh", "-c", "exec >/dev/null 2>&1; cat; echo \"$1\" >\"$2\"", "sh", value, path,
    ];
}
