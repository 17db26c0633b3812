namespace Spate.TestHelpers.Runs;

/// <summary>
/// How much of the random and the slow is run: SPATE_LONG=1, as test.sh --long sets it, is the whole.
/// </summary>
internal static class TestWidth
{
    public static bool IsLong { get; } = Environment.GetEnvironmentVariable("SPATE_LONG") is "1";

    /// <summary>A number of cases or rounds.</summary>
    public static int Of(int usual, int full) => IsLong ? full : usual;

    /// <summary>Leaves a test to the long run.</summary>
    /// <param name="reason">Why the usual run leaves the test out, and which test covers it there.</param>
    public static void SkipUnlessLong(string reason) => Assert.SkipUnless(IsLong, $"SPATE_LONG=1: {reason}");

    /// <summary>The same for rows of a theory, of which one is shown in every run.</summary>
    public static void SkipUnlessLongOr(bool isShown, string reason)
    {
        if (!isShown) SkipUnlessLong(reason);
    }
}
