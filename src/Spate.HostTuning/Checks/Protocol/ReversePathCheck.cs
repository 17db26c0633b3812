using Spate.HostTuning.Settings;

namespace Spate.HostTuning.Checks.Protocol;

/// <summary>Packets that were dropped because their source is reached by another interface.</summary>
internal sealed class ReversePathCheck() : CounterCheck(
    "rp-filter",
    "reverse path filter",
    "a route back by the same interface, or the loose filter (2)",
    "The interface that they came in by is not the one that their source is reached by, and the strict filter drops "
        + "them (RFC 3704; ip-sysctl, rp_filter).",
    ("TcpExtIPReversePathFilter", static one => one.Ip4.ReversePathFilter))
{
    private const string Folder = "proc/sys/net/ipv4/conf";
    private const int MaxInterfaces = 4096;
    private const int Strict = 1;
    private const int Loose = 2;

    // The larger value of "all" and of the interface holds. Which interface dropped is not counted: only where one
    // alone is strict, it is known.
    protected override CheckFinding Mend(HostReadings host, CheckFinding problem)
    {
        long all = host.Files.ReadNumber($"{Folder}/all/rp_filter") ?? 0;
        string[] strict =
        [
            .. host.Files.ListNames(Folder, MaxInterfaces).Where(one => one is not ("all" or "default" or "lo")
                && Math.Max(all, host.Files.ReadNumber($"{Folder}/{one}/rp_filter") ?? 0) == Strict),
        ];
        if (strict.Length != 1) return problem;

        // Of a key, dots part the words: those of the name are slashes (sysctl(8)).
        var setting = new SysctlSetting($"net.ipv4.conf.{strict[0].Replace('.', '/')}.rp_filter");
        return setting.Read(host.Request.RootPath) is { } value && host.Files.ReadNumber(setting.Path) is { } number
            ? problem.With(new HostChange(setting, value, HostChange.Of(setting, number, Loose).To))
            : problem;
    }
}
