using System.ComponentModel;
using System.Diagnostics;
using System.Text;

namespace Spate.HostTuning.Reading.Firewall;

/// <summary>What a program of the system prints, bounded in size and time.</summary>
internal static class ProgramOutput
{
    private const int MaxCharacters = 8 * 1024 * 1024;
    private const int PartCharacters = 16 * 1024;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    // What a shell of root would find; $PATH of another user often lacks them.
    private static readonly string[] Folders = ["/usr/sbin", "/sbin", "/usr/bin", "/bin", "/usr/local/sbin"];

    /// <summary>In the calling thread's namespaces. Null where it fails, hangs or prints too much.</summary>
    public static string? Read(string name, params string[] arguments)
    {
        if (Folders.Select(folder => Path.Combine(folder, name)).FirstOrDefault(File.Exists) is not { } path)
        {
            return null;
        }

        try
        {
            using var process = Process.Start(new ProcessStartInfo(path, arguments)
            {
                RedirectStandardError = true,
                RedirectStandardOutput = true,
                UseShellExecute = false,
            });
            return process is null ? null : Read(process);
        }
        catch (Exception fault) when (fault is Win32Exception or IOException or InvalidOperationException)
        {
            return null;
        }
    }

    private static string? Read(Process process)
    {
        using var timer = new Timer(static one => Kill((Process)one!), process, Patience, Timeout.InfiniteTimeSpan);
        process.ErrorDataReceived += static (_, _) => { };
        process.BeginErrorReadLine();
        var text = new StringBuilder();
        char[] part = new char[PartCharacters];
        int read;
        while (text.Length <= MaxCharacters && (read = process.StandardOutput.Read(part)) > 0)
        {
            text.Append(part, 0, read);
        }

        if (text.Length > MaxCharacters) Kill(process);
        process.WaitForExit();
        return text.Length <= MaxCharacters && process.ExitCode == 0 ? text.ToString() : null;
    }

    private static void Kill(Process process)
    {
        try
        {
            process.Kill();
        }
        catch (Exception fault) when (fault is InvalidOperationException or Win32Exception)
        {
            // It has ended meanwhile.
            return;
        }
    }
}
