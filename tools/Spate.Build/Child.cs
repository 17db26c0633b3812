using System.ComponentModel;
using System.Diagnostics;

namespace Spate.Build;

/// <summary>Runs programs whose environment has a mark, so that all their children can be found and ended.</summary>
internal sealed class Child(string mark)
{
    private const string MarkName = "SPATE_BUILD_RUN";
    private const int KeptChars = 4000;

    private static readonly TimeSpan LastOutput = TimeSpan.FromSeconds(3);

    private readonly HashSet<int> _owners = [];

    public Dictionary<string, string> Environment { get; } = new(StringComparer.Ordinal) { [MarkName] = mark };

    /// <summary>Runs a program to its end; fails with the end of its output if the exit code is not 0.</summary>
    public async Task<string> RunAsync(string folder, string program, string[] arguments, CancellationToken stop)
    {
        List<string> output = [];
        int? code = await TryRunAsync(folder, program, arguments, output.Add, stop);
        stop.ThrowIfCancellationRequested();
        string text = string.Join('\n', output);
        return code == 0 ? text : throw new BuildException(
            $"{program} {string.Join(' ', arguments)} failed ({code}): {text[^Math.Min(text.Length, KeptChars)..]}");
    }

    /// <summary>Null if the program was stopped before its end.</summary>
    public async Task<int?> TryRunAsync(
        string folder, string program, string[] arguments, Action<string> line, CancellationToken stop)
    {
        using var process = new Process
        {
            StartInfo = new ProcessStartInfo(program, arguments)
            {
                WorkingDirectory = folder,
                UseShellExecute = false,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
                RedirectStandardInput = true,
            },
            EnableRaisingEvents = true,
        };
        foreach ((string name, string value) in Environment) process.StartInfo.Environment[name] = value;
        bool isOver = false;
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        process.Exited += (_, _) => ended.TrySetResult();
        process.OutputDataReceived += (_, data) => Take(data.Data);
        process.ErrorDataReceived += (_, data) => Take(data.Data);
        process.Start();
        _owners.Add(process.Id);
        process.StandardInput.Close();
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        // Not the end of the output: a child that is left over can hold the pipe open.
        await Task.WhenAny(ended.Task, Task.Delay(Timeout.Infinite, stop));
        bool isStopped = !process.HasExited;
        if (isStopped) process.Kill(entireProcessTree: true);
        await Task.WhenAny(
            process.WaitForExitAsync(CancellationToken.None), Task.Delay(LastOutput, CancellationToken.None));

        // The caller reads its lines from now on, and a child that is left over can still write.
        lock (ended) isOver = true;
        return isStopped ? null : process.ExitCode;

        void Take(string? text)
        {
            if (text is null) return;
            lock (ended)
            {
                if (!isOver) line(text);
            }
        }
    }

    /// <summary>
    /// Ends all that was started and still runs. A test that is ended midway leaves its children, and network
    /// namespaces named after its process.
    /// </summary>
    /// <returns>The names of the commands that still ran.</returns>
    public IReadOnlyList<string> EndAll()
    {
        HashSet<int> seen = [];
        List<string> names = [];
        for (int[] left = Marked(); left.Length > 0; left = [.. Marked().Except(seen)])
        {
            foreach (int id in left)
            {
                seen.Add(id);
                if (End(id) is { } name) names.Add(name);
            }
        }

        _owners.UnionWith(seen);
        if (!Directory.Exists("/run/netns")) return names;
        foreach (string path in Directory.EnumerateFiles("/run/netns", "spate-*"))
        {
            string name = Path.GetFileName(path);
            if (!int.TryParse(name.Split('-')[1], out int owner) || !_owners.Contains(owner)) continue;
            using var delete = Process.Start("ip", ["netns", "delete", name]);
            delete.WaitForExit();
        }

        return names;
    }

    private int[] Marked()
    {
        if (!OperatingSystem.IsLinux()) return [];
        return
        [
            .. Directory.EnumerateDirectories("/proc").Select(Path.GetFileName)
                .Where(name => int.TryParse(name, out _) && IsMarked(name!)).Select(name => int.Parse(name!, null)),
        ];
    }

    // A process that ended since /proc was listed has no environment, and that of another user cannot be read.
    private bool IsMarked(string id)
    {
        try
        {
            return File.ReadAllText($"/proc/{id}/environ").Split('\0').Contains($"{MarkName}={mark}");
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    private static string? End(int id)
    {
        try
        {
            using var process = Process.GetProcessById(id);
            string name = process.ProcessName;
            process.Kill();
            process.WaitForExit(TimeSpan.FromSeconds(5));
            return name;
        }
        catch (Exception fault) when (fault is ArgumentException or InvalidOperationException or Win32Exception)
        {
            return null; // The process ended by itself.
        }
    }
}
