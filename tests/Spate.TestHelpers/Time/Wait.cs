using System.Runtime.CompilerServices;

namespace Spate.TestHelpers.Time;

/// <summary>Waits for what another thread or process does, where no event of it can be awaited.</summary>
internal static class Wait
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    /// <summary>Waits until a condition holds; fails the test if it does not come to.</summary>
    /// <param name="condition">The condition, which is asked often.</param>
    /// <param name="what">The event, for the failure; if none is given, the text of the condition.</param>
    public static void Until(
        Func<bool> condition, [CallerArgumentExpression(nameof(condition))] string what = "") =>
        Assert.True(SpinWait.SpinUntil(condition, Patience), $"Waited {Patience.TotalSeconds} s in vain for: {what}");
}
