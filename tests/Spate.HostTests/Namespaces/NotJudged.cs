namespace Spate.HostTests.Namespaces;

/// <summary>
/// Ends a test that had too little of a CPU to judge by. test.sh tries it again when all else has ended, and lists it
/// where that brings no more.
/// </summary>
internal static class NotJudged
{
    /// <param name="condition">The run's counters show that the thread waited, or others filled the CPU.</param>
    /// <param name="reason">The same in words.</param>
    public static void When(bool condition, string reason) => Assert.SkipWhen(condition, $"not judged: {reason}");
}
