using System.Diagnostics;
using System.Text.RegularExpressions;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Settings;
using Spate.TestHelpers.Hosts;
using Setting = Spate.HostTuning.Settings.HostSetting;

namespace Spate.HostTests.Namespaces;

/// <summary>
/// The commands that checks print and those that take them back. What a network namespace or the host takes is run;
/// what needs hardware is read by the shell and, where it is there, by the program that it names.
/// </summary>
[QuietHost("sysctls of the host are set and put back")]
public sealed partial class PrintedCommandTests : IDisposable
{
    private const string Veth = FaultyHost.Interface;
    private const string Ids =
        "clock-source coalescing conntrack conntrack-timeout default-qdisc ecmp flow-hash governor idle-states "
        + "interrupt-cpus iommu ip-fragments irqbalance jumbo netdev-budget netdev-max-backlog numa-node offloads "
        + "optmem-max pause qdisc-drops queue-count ring rmem-default rmem-max rp-filter smt steering tx-queue-len "
        + "udp-gro-forwarding udp-mem udp-segmentation wmem-max";

    private static readonly IReadOnlyList<CheckFinding> Findings = FaultyHost.Findings();

    private readonly NetworkNamespace? _network;

    public PrintedCommandTests()
    {
        if (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess) return;

        _network = new NetworkNamespace();
        _network.Ip($"link add {Veth} numrxqueues 4 numtxqueues 4 type veth peer name far0");
        _network.Ip($"link set {Veth} up");
    }

    /// <summary>Every setting that some check would change, with the value that it would get.</summary>
    private static IEnumerable<HostChange> Changes => Findings.SelectMany(static one => one.Changes)
        .DistinctBy(static one => (one.Setting.Identity, one.To));

    private NetworkNamespace Network
    {
        get
        {
            Assert.SkipWhen(_network is null, "network namespaces exist on Linux only and need root");
            return _network!;
        }
    }

    public void Dispose() => _network?.Dispose();

    [Fact]
    public void Commands_OfAllChecks_AreFound()
    {
        IEnumerable<string> found = Findings.Select(static one => one.Id).Distinct(StringComparer.Ordinal);

        Assert.Equal(Ids, string.Join(' ', found.Order(StringComparer.Ordinal)));
    }

    [Fact]
    public void Commands_OfAllChecks_AreOneLineThatTheShellTakes()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "sh is needed");

        Assert.All(Lines(), static line =>
        {
            Assert.DoesNotContain('\n', line);
            Assert.Matches(KnownCommand(), line);
            using Process shell = Process.Start("sh", ["-n", "-c", line]);
            shell.WaitForExit();
            Assert.Equal(0, shell.ExitCode);
        });
    }

    [Fact]
    public void Sysctls_CommandAndUndo_AreTakenAndLeaveTheFileToTheByte()
    {
        Programs.Require("sysctl", "procps");
        int run = 0;
        foreach (HostChange change in Changes.Where(static one => one.Setting is SysctlSetting))
        {
            string file = "/" + ((SysctlSetting)change.Setting).Path;
            if (IsWritable(file))
            {
                RunBoth(change, () => Network.Execute($"cat {file}"), RunInside);
            }
            else if (File.Exists(file))
            {
                using var guard = new HostSetting(file);
                RunBoth(change, () => File.ReadAllText(file), static (_, line) =>
                    NetworkNamespace.RunOutside($"sh -c \"{line}\""));
            }
            else
            {
                continue;
            }

            run++;
        }

        Assert.InRange(run, 10, int.MaxValue);
    }

    [Fact]
    public void Interface_CommandAndUndo_AreTakenAndLeaveItAsItWas()
    {
        Programs.Require("ethtool", "ethtool");
        Programs.Require("tc", "iproute2");
        int run = 0;
        foreach (HostChange change in Changes)
        {
            Func<string>? read = change.Setting switch
            {
                FeatureSetting => () => Network.Execute($"ethtool -k {Veth}"),
                QueueSetting => () => Network.Execute($"tc qdisc show dev {Veth}"),
                FileSetting { Path: var path } when HasFile(path) => () => Network.Execute($"cat /{path}"),
                _ => null,
            };
            if (read is null) continue;

            RunBoth(change, read, RunInside);
            run++;
        }

        Assert.InRange(run, 8, int.MaxValue);
    }

    [Fact]
    public void Jumbo_CommandAndUndo_SetTheMtu()
    {
        CheckFinding jumbo = Findings.First(static one => one is { Id: "jumbo", Interface: Veth });
        string before = Network.Execute($"ip link show dev {Veth}");

        Network.Execute(jumbo.Command!);
        Assert.Contains(" mtu 9000 ", Network.Execute($"ip link show dev {Veth}"), StringComparison.Ordinal);
        Network.Execute(jumbo.Undo!);

        Assert.Equal(before, Network.Execute($"ip link show dev {Veth}"));
    }

    // A veth has neither rings nor coalescing: ethtool reads its arguments before it asks the driver.
    [Fact]
    public void Ethtool_CommandsForHardware_AreWhatItTakes()
    {
        Programs.Require("ethtool", "ethtool");
        string[] lines = [.. Lines().SelectMany(static one => one.Split(" && "))
            .Where(static one => one.StartsWith("ethtool ", StringComparison.Ordinal))
            .Distinct(StringComparer.Ordinal)];

        Assert.All(["-G", "-L", "-C", "-A", "-N", "-K"], option =>
            Assert.Contains(lines, one => one.StartsWith($"ethtool {option} {Veth} ", StringComparison.Ordinal)));
        Assert.All(lines, one => Assert.DoesNotMatch(RefusedArguments(), Complaint(one)));
        Assert.All(
            [$"ethtool -G {Veth} rxx 8", $"ethtool -N {Veth} rx-flow-hash udp4 sdzz"],
            one => Assert.Matches(RefusedArguments(), Complaint(one)));
    }

    [Fact]
    public void Taskset_ListOfCpus_IsWhatItTakes()
    {
        Programs.Require("taskset", "util-linux");
        string[] lines = [.. Lines().Where(static one => one.StartsWith("taskset ", StringComparison.Ordinal))];

        Assert.NotEmpty(lines);
        Assert.All(lines, one => Assert.DoesNotContain(
            "failed to parse",
            Complaint(one.Replace("PROGRAM", "true", StringComparison.Ordinal)),
            StringComparison.Ordinal));
    }

    private static IEnumerable<string> Lines() => Findings.SelectMany(static one => (string?[])[one.Command, one.Undo])
        .OfType<string>();

    private static void RunInside(NetworkNamespace network, string line) =>
        network.Execute($"sh -c \"{line}\"");

    /// <summary>Makes a change by its command, and takes it back to the value that is there now.</summary>
    private void RunBoth(HostChange advised, Func<string> read, Action<NetworkNamespace, string> run)
    {
        string before = read();
        HostChange change = advised with
        {
            From = ReadNow(advised.Setting),

            // Not every kernel has fq.
            To = advised.To is "fq" ? "pfifo_fast" : advised.To,
        };

        run(Network, change.Command);
        Assert.True(change.Setting.IsSame(ReadNow(change.Setting), change.To), $"{change.Command}: {read()}");
        run(Network, change.Undo);

        Assert.Equal(before, read());
    }

    // The files of /sys are those of the namespace that it was mounted in, which ip-netns(8) does for its command.
    private string ReadNow(Setting setting) => setting is FileSetting { Path: var path }
        ? IsWritable("/" + path) || HasFile(path)
            ? Network.Execute($"cat /{path}").Trim()
            : File.ReadAllText("/" + path).Trim()
        : Network.Enter(() => setting.Read("/"))!;

    private bool HasFile(string path) =>
        path.StartsWith($"sys/class/net/{Veth}/", StringComparison.Ordinal) && IsWritable("/" + path);

    // Root may write any file by its mode; what is the host's has none that allows it.
    private bool IsWritable(string file) =>
        Network.Execute($"sh -c \"stat -c %A {file} 2> /dev/null; true\"").StartsWith("-rw", StringComparison.Ordinal);

    private string Complaint(string command) => Network.Execute($"sh -c \"{command} 2>&1; true\"");

    [GeneratedRegex(
        """
        ^(ethtool\ -[GLCA]\ \S+\ [a-z-]+\ ([0-9]+|on|off)
        | ethtool\ -K\ \S+\ [a-z-]+\ (on|off)
        | ethtool\ -N\ \S+\ rx-flow-hash\ udp[46]\ [sdfnmvtr]+
        | sysctl\ -w\ net\.[a-z0-9_./]+=([a-z0-9_]+|'[0-9\ \t]+')
        | tc\ qdisc\ (replace\ dev\ \S+\ root\ [a-z_]+|del\ dev\ \S+\ root)
        | ip\ link\ set\ dev\ \S+\ mtu\ [0-9]+
        | (for\ n\ in\ [0-9\ $()seq]+;\ do\ )?echo\ [a-z0-9,_-]+\ >\ /(sys|proc)/[a-zA-Z0-9_./$-]+(;\ done)?
        | systemctl\ (stop|start)\ irqbalance
        | for\ f\ in\ /sys/[a-z0-9/*[\]]+;\ do\ echo\ [01]\ >\ \$f;\ done
        | taskset\ -c\ [0-9,-]+\ PROGRAM
        | grubby\ --update-kernel=ALL\ --(remove-)?args=iommu=pt(\ +\#.*)?
        | \ &&\ )+$
        """,
        RegexOptions.IgnorePatternWhitespace | RegexOptions.ExplicitCapture | RegexOptions.NonBacktracking)]
    private static partial Regex KnownCommand();

    [GeneratedRegex("bad command line|unknown parameter|usage", RegexOptions.IgnoreCase | RegexOptions.NonBacktracking)]
    private static partial Regex RefusedArguments();
}
