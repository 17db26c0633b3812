using Spate.Build;
using Spate.TestHelpers.Hosts;
using Spate.TestHelpers.Time;

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
        IReadOnlyList<string> left = child.EndAll();

        Assert.Equal((0, "first"), (code, lines[0]));
        Assert.Contains("sh", left);
        Assert.False(isWrittenTo);
    }

    [Fact]
    public async Task TryRunAsync_Stopped_IsEnded()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "sh(1) is needed");
        using var stop = new CancellationTokenSource(TimeSpan.FromMilliseconds(100));

        Assert.Null(await new Child("stopped").TryRunAsync(".", "sleep", ["60"], static _ => { }, stop.Token));
    }

    [Fact]
    public async Task EndAll_ProgramThatChangedASetting_LeavesTheGuardThatRestoresIt()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "sh(1) is needed");
        Programs.Require("setsid", "util-linux");
        string folder = Directory.CreateTempSubdirectory().FullName;
        string path = Path.Combine(folder, "value");
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        var child = new Child($"{Environment.ProcessId} guarded");
        await child.RunAsync(folder, "mkfifo", ["pipe"], stop.Token);

        // The pipe is still open when all else has ended, so that a guard which ends with it restores nothing.
        const string Script = "echo 2 >value; \"$@\" <pipe; cat value; sleep 60";
        List<string> lines = [];
        int? code;
        using (new FileStream(Path.Combine(folder, "pipe"), FileMode.Open, FileAccess.ReadWrite))
        {
            code = await child.TryRunAsync(
                folder, "sh", ["-c", Script, "sh", .. SettingGuard.Words("1", path)], Take, stop.Token);
            child.EndAll();
        }

        Assert.Null(code);
        Assert.Equal(["2"], lines);
        Wait.Until(() => File.ReadAllText(path) == "1\n");
        Directory.Delete(folder, recursive: true);

        void Take(string line)
        {
            lines.Add(line);
            _ = stop.CancelAsync();
        }
    }
}
