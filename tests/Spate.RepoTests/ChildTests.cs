using Spate.Build;

namespace Spate.RepoTests;

/// <summary>Programs that the build's tool runs.</summary>
public sealed class ChildTests
{
    [Fact]
    public async Task TryRunAsync_ProgramThatLeavesAChild_EndsWithoutItsOutput()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "sh(1) and /proc are needed");
        List<string> lines = [];
        var child = new Child($"{Environment.ProcessId} {nameof(ChildTests)}");

        // The child holds the pipe open, and writes until it is ended.
        int? code = await child.TryRunAsync(
            ".", "sh", ["-c", "echo first; (while sleep 0.1; do echo more; done) &"], lines.Add,
            TestContext.Current.CancellationToken);
        int count = lines.Count;
        bool isWrittenTo = SpinWait.SpinUntil(() => lines.Count != count, TimeSpan.FromMilliseconds(500));
        child.EndAll();

        Assert.Equal((0, "first"), (code, lines[0]));
        Assert.False(isWrittenTo);
    }

    [Fact]
    public async Task TryRunAsync_Stopped_IsEnded()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "sh(1) is needed");
        using var stop = new CancellationTokenSource(TimeSpan.FromMilliseconds(100));

        Assert.Null(await new Child("stopped").TryRunAsync(".", "sleep", ["60"], static _ => { }, stop.Token));
    }
}
