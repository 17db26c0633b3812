namespace Spate.CliTests;

/// <summary>
/// Tests that <c>test.sh --long</c> adds: they take long, or a process for a path that another test shows.
/// </summary>
internal static class LongRun
{
    public static bool IsOn { get; } = Environment.GetEnvironmentVariable("SPATE_LONG") is "1";

    /// <summary>Skips the test in a short run.</summary>
    /// <param name="reason">Why the short run does without.</param>
    public static void Require(string reason) => Assert.SkipUnless(IsOn, $"SPATE_LONG=1: {reason}");

    /// <summary>The same for rows of a theory, of which one is shown in every run.</summary>
    public static void RequireUnless(bool isShown, string reason)
    {
        if (!isShown) Require(reason);
    }
}
