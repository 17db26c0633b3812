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
