using System.Collections.ObjectModel;
using System.Globalization;
using Spate.Cli.Host;
using Spate.Cli.Shell;
using Spate.HostTuning.Checks;
using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Usage;
using Spate.Measurement.Arithmetic;
using Spate.Measurement.HostUse;

namespace Spate.Cli.Watch;

/// <summary>
/// Watches what a host counts, interval by interval and over the whole time; what grows is explained by the checks of
/// <see cref="HostExamination"/>. Nothing is changed, and nothing is read between two calls. Linux only; elsewhere
/// nothing is ever counted. One thread at a time; the network namespace is that of the making thread. Without root the
/// rules of the firewall and the programs of other users are not seen.
/// </summary>
internal sealed class CounterWatch : IDisposable
{
    public const int MaxSockets = 16;

    // As root the firewall's rules are read by starting nft(8); the settings of a card are a dozen requests.
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(10);

    private readonly CheckOptions _request;
    private readonly bool _showsAllCores;
    private readonly string _kernel = HostFacts.ReadKernel();
    private readonly HostFiles _files;
    private readonly HostReader _intervals;
    private readonly HostReader _whole;
    private readonly Dictionary<(string Id, string? Interface), CheckFinding> _problems = [];
    private readonly Dictionary<long, string> _programs = [];
    private Dictionary<long, (UdpSocketCounters Socket, long Drops)> _drops = [];

    /// <summary>
    /// Begins to watch. <c>request</c>: its duration and its targets are not used. <c>interfaces</c>: those of a
    /// recorded host; null for those of this host.
    /// </summary>
    public CounterWatch(
        CheckOptions request,
        TimeProvider time,
        bool showsAllCores = false,
        IReadOnlyList<InterfaceFacts>? interfaces = null)
    {
        _request = request;
        _showsAllCores = showsAllCores;
        _files = new HostFiles(request.RootPath);
        _whole = new HostReader(request, time, interfaces);
        _intervals = new HostReader(request, time, interfaces, Pause);
    }

    /// <summary>Reads what was counted since the last call, or since the making.</summary>
    public WatchReport Take()
    {
        HostReadings readings = _intervals.Take();
        CheckFinding[] problems = FindProblems(readings);
        WatchReport report = Describe(readings, readings.SocketDrops, problems);
        foreach (CheckFinding problem in problems)
        {
            long before = _problems.GetValueOrDefault(KeyOf(problem))?.Growth ?? 0;
            _problems[KeyOf(problem)] = problem with { Growth = before + problem.Growth };
        }

        AddDrops(readings);
        return report;
    }

    /// <summary>
    /// Reads what was counted since the making. A problem that an interval had stays one: an interface may have gone
    /// meanwhile, and a share of the whole time may be small.
    /// </summary>
    public WatchReport TakeWhole()
    {
        HostReadings readings = _whole.Take();
        IReadOnlyList<CheckFinding> problems = FindProblems(readings);
        var known = problems.Select(KeyOf).ToHashSet();
        IEnumerable<CheckFinding> gone = _problems.Where(one => !known.Contains(one.Key))
            .Select(static one => one.Value);
        IReadOnlyList<UdpSocketCounters> drops =
        [
            .. _drops.Values.Select(static one => one.Socket with { Drops = one.Drops })
                .OrderByDescending(static one => one.Drops),
        ];
        return Describe(
            readings, _drops.Count > 0 ? drops : readings.SocketDrops, HostExamination.Sort(problems.Concat(gone)));
    }

    public void Dispose()
    {
        _intervals.Dispose();
        _whole.Dispose();
    }

    private static (string Id, string? Interface) KeyOf(CheckFinding finding) => (finding.Id, finding.Interface);

    // Where nothing grew no check finds a problem, and reading all that the checks read would be in vain.
    private static CheckFinding[] FindProblems(HostReadings readings) =>
        CounterIncreases.Of(readings).Count == 0 && readings.SocketDrops.Count == 0
            && !(readings.Throttled > TimeSpan.Zero)
            && readings.CpuUse.Values.All(static one => one.Times.Steal == 0)
            ? []
            :
            [
                .. HostExamination.Of(readings, isLinux: true).Findings
                    .Where(static one => one.Status == CheckStatus.Problem),
            ];

    private WatchReport Describe(
        HostReadings readings, IReadOnlyList<UdpSocketCounters> drops, IReadOnlyList<CheckFinding> problems)
    {
        double seconds = readings.Watched.TotalSeconds;
        var sum = new CpuTotals { Seconds = seconds };
        foreach ((int cpu, CpuUse use) in readings.CpuUse) sum.Add(cpu, use);

        CpuReport[] cores = sum.Report(showsAll: true);
        return new WatchReport
        {
            SpateVersion = ToolVersion.Text,
            Kernel = _kernel,
            Profile = HostProfileText.Of(readings.Needs.Profile),
            Seconds = seconds,
            Problems = problems.Count,

            // Interfaces that came or went meanwhile have no growth.
            Interfaces =
            [
                .. readings.Growth.Interfaces.Where(one => _request.Interface is null
                    || readings.Interfaces.Any(known => known.ShownName.Equals(one.Name, StringComparison.Ordinal)))
                    .Select(one => WatchInterface.Of(one, seconds)),
            ],
            Cores = _showsAllCores ? cores : CpuTotals.WithoutIdle(cores),
            FullCpus =
            [
                .. cores.Where(static core => core.BusyPercent >= CpuLimit.FullPercent)
                    .Select(static core => core.Cpu),
            ],
            Counters = [.. CounterIncreases.Of(readings)],
            Sockets = FindSockets(readings, drops),
            Checks = [.. problems.Select(FindingReport.Of)],
        };
    }

    // A socket without a port of its own receives nothing: its queue stays empty.
    private WatchSocket[] FindSockets(HostReadings readings, IReadOnlyList<UdpSocketCounters> drops)
    {
        var inodes = drops.Select(static one => one.Inode).ToHashSet();
        UdpSocketCounters[] shown =
        [
            .. drops.Concat((readings.Sockets ?? [])
                    .Where(one => one.ReceiveQueueBytes > 0 && !inodes.Contains(one.Inode))
                    .OrderByDescending(static one => one.ReceiveQueueBytes)
                    .Select(static one => one with { Drops = 0 }))
                .Take(MaxSockets),
        ];
        NamePrograms([.. shown.Select(static one => one.Inode)]);
        return
        [
            .. shown.Select(one => new WatchSocket(
                one.Port,
                _programs.GetValueOrDefault(one.Inode) is { Length: > 0 } program ? program : null,
                one.ReceiveQueueBytes,
                one.ReceiveBufferBytes,
                one.Drops ?? 0,
                Statistics.Ratio(one.Drops ?? 0, readings.Watched.TotalSeconds))),
        ];
    }

    // Looking up the owners reads the links of all descriptors, so it is done once for each socket.
    private void NamePrograms(HashSet<long> inodes)
    {
        HashSet<long> unknown = [.. inodes.Where(one => !_programs.ContainsKey(one))];

        // A program that lost something may have ended before the end: its name is kept for the whole time.
        foreach (long inode in _programs.Keys.Where(one => !inodes.Contains(one) && !_drops.ContainsKey(one)).ToArray())
        {
            _programs.Remove(inode);
        }

        if (unknown.Count == 0) return;

        foreach (long inode in unknown) _programs[inode] = "";
        foreach ((string process, long inode) in SocketOwners.Find(_files, unknown))
        {
            if (_programs[inode].Length == 0) _programs[inode] = SocketOwners.NameOf(_files, process);
        }
    }

    // Those that dropped most stay, so that a host that opens sockets without end costs no memory.
    private void AddDrops(HostReadings readings)
    {
        foreach (UdpSocketCounters one in readings.SocketDrops)
        {
            _drops[one.Inode] = (one, _drops.GetValueOrDefault(one.Inode).Drops + (one.Drops ?? 0));
        }

        if (_drops.Count <= MaxSockets) return;

        _drops = _drops.OrderByDescending(static one => one.Value.Drops).Take(MaxSockets).ToDictionary();
    }
}

/// <summary>Finds the counters of losses, errors and delays that grew: pure.</summary>
internal static class CounterIncreases
{
    // A host may have thousands of virtual interfaces, and a driver thousands of counters.
    private const int MaxCounters = 256;

    /// <summary>The counters that grew, from the sockets down to the cards.</summary>
    public static IReadOnlyList<WatchCounter> Of(HostReadings host)
    {
        NetworkCounters growth = host.Growth;
        IEnumerable<WatchCounter?> all =
        [
            .. ProtocolCounter.All.Where(static row => row.IsWatched)
                .Select(row => One(row.Place, row.Name, row.Get(growth), row.Meaning)),
            .. growth.Conntrack is { } tracked ? Of(CounterTable.Conntrack, "conntrack", "", tracked) : [],
            .. host.FirewallGrowth.Select(static one => One("firewall", one.Place, one.Packets)),
            .. OfCpus(growth),
            .. growth.Interfaces.SelectMany(one => OfInterface(host, one)),
            .. growth.Queues.Where(static one => one.IsRoot)
                .SelectMany(static one => Of(CounterTable.Queue, one.Interface, $"qdisc {one.Kind} ", one)),
        ];
        double seconds = host.Watched.TotalSeconds;
        return
        [
            .. all.OfType<WatchCounter>().Take(MaxCounters)
                .Select(one => one with { PerSecond = Statistics.Ratio(one.Growth, seconds) }),
        ];
    }

    private static WatchCounter? One(string place, string name, long? growth, string? meaning = null) =>
        growth > 0 ? new WatchCounter(place, name, growth.Value, PerSecond: 0, meaning) : null;

    private static IEnumerable<WatchCounter?> Of<TLayer>(
        Counter<TLayer>[] rows, string place, string prefix, TLayer growth) =>
        rows.Where(static row => row.IsWatched)
            .Select(row => One(place, prefix + row.Name, row.Get(growth), row.Meaning));

    // A kernel whose rows do not name their CPU tells the sum of all.
    private static IEnumerable<WatchCounter?> OfCpus(NetworkCounters growth) => growth.SoftnetCpus.Count == 0
        ? Of(CounterTable.Softnet, "CPUs", "softnet ", growth.Softnet)
        : growth.SoftnetCpus.OrderBy(static one => one.Key).SelectMany(static one => Of(
            CounterTable.Softnet,
            string.Create(CultureInfo.InvariantCulture, $"CPU {one.Key}"),
            "softnet ",
            one.Value));

    private static IEnumerable<WatchCounter?> OfInterface(HostReadings host, InterfaceCounters growth)
    {
        HostInterface? one = host.Interfaces
            .FirstOrDefault(known => string.Equals(known.ShownName, growth.Name, StringComparison.Ordinal));
        IEnumerable<(string Name, long Count)> losses = one is null
            ? CardLossChecks.OfSystem(growth)
            : CardLossChecks.Of(host, one);
        return
        [
            .. (one?.CardGrowth ?? ReadOnlyDictionary<string, ulong>.Empty)
                .Where(static count => CardLossChecks.IsAllowance(count.Key))
                .Select(count => One(growth.Name, count.Key, (long)Math.Min(count.Value, long.MaxValue))),
            .. losses.Select(loss => One(growth.Name, loss.Name, loss.Count)),
            .. CounterTable.Interface.Where(static row => row.Meaning is not null)
                .Select(row => One(growth.Name, row.Name, row.Get(growth), row.Meaning)),
        ];
    }
}
