using System.Text;
using Spate.HostTuning.Files;

namespace Spate.HostTuning.Firewall;

/// <summary>
/// Reads the firewall's rules that drop, of the network namespace of the calling thread, which needs root. Below
/// another root than <c>/</c> the output of the programs is in files: <c>firewall/nft</c>,
/// <c>firewall/iptables-save</c> and <c>firewall/ip6tables-save</c>.
/// </summary>
internal static class FirewallReader
{
    private const int MaxRecordedBytes = 1024 * 1024;

    /// <summary>The rules; null where no program could be run that shows them.</summary>
    /// <param name="rootPath">Where the system's file tree begins; another value than <c>/</c> is for tests.</param>
    public static IReadOnlyList<DropRule>? Read(string rootPath)
    {
        Func<string, string[], string?> run = string.Equals(rootPath, "/", StringComparison.Ordinal)
            ? static (program, arguments) =>
                OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess
                    ? ProgramOutput.Read(program, arguments)
                    : null
            : (program, _) => ReadRecorded(new HostFiles(rootPath), program);
        if (run("nft", ["-j", "list", "ruleset"]) is { } json) return NftRules.Parse(json);

        return run("iptables-save", ["-c"]) is { } tables
            ? [.. TableRules.Parse(tables, "ip"), .. TableRules.Parse(run("ip6tables-save", ["-c"]) ?? "", "ip6")]
            : null;
    }

    private static string? ReadRecorded(HostFiles files, string program)
    {
        using HostFile file = files.Open("firewall/" + program);
        return file.IsMissing ? null : Encoding.UTF8.GetString(file.ReadAll(new byte[MaxRecordedBytes]));
    }
}
