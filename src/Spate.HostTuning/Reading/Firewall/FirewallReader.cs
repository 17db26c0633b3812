using System.ComponentModel;
using System.Diagnostics;
using System.Text;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Reading.Firewall;

/// <summary>
/// Reads the firewall's rules that drop, of the network namespace of the calling thread, which needs root. Below
/// another root than <c>/</c> the output of the programs is in files: <c>firewall/nft</c>,
/// <c>firewall/iptables-save</c>, <c>firewall/iptables-legacy-save</c>, and the same for <c>ip6tables</c>.
/// </summary>
internal static class FirewallReader
{
    private const int MaxRecordedBytes = 1024 * 1024;

    /// <summary>The rules; null where no program could be run that shows them.</summary>
    public static IReadOnlyList<DropRule>? Read(string rootPath)
    {
        Func<string, string[], string?> run = string.Equals(rootPath, "/", StringComparison.Ordinal)
            ? static (program, arguments) =>
                OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess
                    ? ProgramOutput.Read(program, arguments)
                    : null
            : (program, _) => ReadRecorded(new HostFiles(rootPath), program);
        IReadOnlyList<DropRule>? rules = run("nft", ["-j", "list", "ruleset"]) is { } json
            ? NftRules.Parse(json)
            : null;

        // iptables keeps its rules in nftables, which nft has shown, or in tables of the kernel's own, which only the
        // legacy programs show (xtables-nft(8)). Without nft, iptables-save shows the kind that the system uses.
        string kind = rules is null ? "" : "-legacy";
        string? four = run($"iptables{kind}-save", ["-c"]);
        string? six = run($"ip6tables{kind}-save", ["-c"]);
        return rules is null && four is null && six is null
            ? null
            : [.. rules ?? [], .. TableRules.Parse(four ?? "", "ip"), .. TableRules.Parse(six ?? "", "ip6")];
    }

    private static string? ReadRecorded(HostFiles files, string program)
    {
        using HostFile file = files.Open("firewall/" + program);
        return file.IsMissing ? null : Encoding.UTF8.GetString(file.ReadAll(new byte[MaxRecordedBytes]));
    }
}

/// <summary>A rule that drops or rejects packets, and that is not for another protocol than UDP.</summary>
/// <param name="Place">For example <c>inet filter input handle 5</c>; it shows no address of the rule.</param>
internal sealed record DropRule(string Place)
{
    /// <summary>That it dropped; null for a rule that does not count.</summary>
    public long? Packets { get; init; }

    public int? Port { get; init; }

    /// <summary>The command that puts a rule ahead of it which accepts <see cref="Port"/>; null for none.</summary>
    public string? Accept { get; init; }

    /// <summary>Takes <see cref="Accept"/> back; null where there is none.</summary>
    public string? Undo { get; init; }

    /// <summary>Between two readings, those that dropped most first.</summary>
    public static IReadOnlyList<DropRule> FindGrowth(
        IReadOnlyList<DropRule>? later, IReadOnlyList<DropRule>? earlier)
    {
        if (later is null || earlier is null) return [];

        var before = new Dictionary<string, long?>(StringComparer.Ordinal);
        foreach (DropRule one in earlier) before.TryAdd(one.Place, one.Packets);

        return
        [
            .. later.Select(one => one with { Packets = one.Packets - before.GetValueOrDefault(one.Place) })
                .Where(static one => one.Packets > 0)
                .OrderByDescending(static one => one.Packets),
        ];
    }
}

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
