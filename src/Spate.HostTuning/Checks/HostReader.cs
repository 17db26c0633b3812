using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading;
using Spate.HostTuning.Reading.Cards;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Files;
using Spate.HostTuning.Reading.Firewall;
using Spate.HostTuning.Reading.Interfaces;
using Spate.HostTuning.Reading.Interrupts;
using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Checks;

/// <summary>
/// Reads for all checks what the host has, and what it counted since the last reading or the making. One thread at a
/// time; the network namespace is that of the making thread.
/// </summary>
internal sealed class HostReader : IDisposable
{
    // Reading the settings of an interface takes a dozen requests.
    private const int MaxInterfaces = 64;

    private readonly CheckOptions _request;
    private readonly TimeProvider _time;
    private readonly TimeSpan _pause;
    private readonly List<string> _routed;
    private readonly InterfaceFacts[] _chosen;
    private readonly CardReplies _replies;
    private readonly NetworkCounterReader _counterReader;
    private readonly UdpSocketReader _socketReader;
    private readonly CpuTimesReader _cpuReader;
    private readonly CpuThrottleMeter _throttle;
    private NetworkCounters _counters;
    private IReadOnlyList<UdpSocketCounters>? _sockets;
    private IReadOnlyList<DropRule>? _firewall;
    private IReadOnlyDictionary<int, CpuUse> _cpus;
    private IReadOnlyDictionary<string, ulong>[] _statistics;
    private HostInterface[] _interfaces = [];
    private CpuFacts? _layout;
    private long _ticks;
    private long _seldomTicks;

    /// <summary>
    /// <c>interfaces</c>: the interfaces of a recorded host, which are in no file; null for those of this host.
    /// <c>pause</c>: the least time between two readings of what seldom changes and costs the most: the firewall's
    /// rules, for which a program is started, the settings of cards, and the CPUs' layout. Readings in between repeat
    /// the last ones.
    /// </summary>
    public HostReader(
        CheckOptions request,
        TimeProvider time,
        IReadOnlyList<InterfaceFacts>? interfaces = null,
        TimeSpan pause = default)
    {
        _request = request;
        _time = time;
        _pause = pause;
        _routed = DefaultRoutes.Read(new HostFiles(request.RootPath));
        _chosen = Choose(interfaces ?? InterfaceFacts.ReadAll());
        _replies = new CardReplies(request.RootPath);
        _counterReader = new NetworkCounterReader(rootPath: request.RootPath);
        _socketReader = new UdpSocketReader(request.RootPath);
        _cpuReader = new CpuTimesReader(request.RootPath);
        _throttle = new CpuThrottleMeter(request.RootPath);
        _ticks = time.GetTimestamp();
        _counters = _counterReader.Read();
        _sockets = _socketReader.Read();
        (_firewall, _seldomTicks) = (FirewallReader.Read(request.RootPath), _ticks);
        _cpus = _cpuReader.Read();
        _statistics = [.. _chosen.Select(one => CardStatistics.Read(_replies, one.Name))];
    }

    /// <summary>Reads the host, and what was counted since the last reading.</summary>
    public HostReadings Take()
    {
        NetworkCounters counters = _counterReader.Read();
        IReadOnlyList<UdpSocketCounters>? sockets = _socketReader.Read();
        bool readsFirewall = _time.GetElapsedTime(_seldomTicks) >= _pause;
        IReadOnlyList<DropRule>? firewall = readsFirewall ? FirewallReader.Read(_request.RootPath) : _firewall;
        IReadOnlyDictionary<int, CpuUse> cpus = _cpuReader.Read();
        bool readsAll = readsFirewall || _layout is null;
        HostInterface[] interfaces =
        [
            .. _chosen.Select((one, index) => WithGrowth(
                readsAll ? ReadSettings(one) : ReadStatistics(_interfaces[index]), _statistics[index])),
        ];
        if (readsAll) _layout = CpuFacts.Read(_request.RootPath);
        HostReadings readings = new()
        {
            Request = _request,
            Needs = ProfileNeeds.Of(_request.Profile ?? FindProfile(interfaces)),
            Interfaces = interfaces,
            Cpus = _layout!,
            Container = ContainerHint.Find(new HostFiles(_request.RootPath), Environment.GetEnvironmentVariable),
            Totals = counters,
            Growth = counters - _counters,
            Sockets = sockets,
            SocketDrops = UdpSocketReader.FindDrops(sockets, _sockets),
            Firewall = firewall,
            FirewallGrowth = DropRule.FindGrowth(firewall, _firewall),
            CpuUse = cpus.Where(one => _cpus.ContainsKey(one.Key))
                .ToDictionary(static one => one.Key, one => one.Value - _cpus[one.Key]),
            Throttled = _throttle.Take() is { } nanoseconds ? TimeSpan.FromMicroseconds(nanoseconds / 1000.0) : null,
            Watched = _time.GetElapsedTime(_ticks),
        };
        (_ticks, _counters, _sockets, _firewall) = (_time.GetTimestamp(), counters, sockets, firewall);
        (_cpus, _interfaces) = (cpus, interfaces);
        if (readsFirewall) _seldomTicks = _ticks;
        _statistics = [.. interfaces.Select(static one => one.Card.Statistics)];
        return readings;
    }

    public void Dispose()
    {
        _throttle.Dispose();
        _cpuReader.Dispose();
        _socketReader.Dispose();
        _counterReader.Dispose();
        _replies.Dispose();
    }

    private static HostInterface WithGrowth(HostInterface one, IReadOnlyDictionary<string, ulong> before) => one with
    {
        CardGrowth = one.Card.Statistics
            .Where(count => before.TryGetValue(count.Key, out ulong last) && count.Value > last)
            .ToDictionary(static count => count.Key, count => count.Value - before[count.Key], StringComparer.Ordinal),
    };

    private InterfaceFacts[] Choose(IReadOnlyList<InterfaceFacts> all)
    {
        if (_request.Interface is not { } wanted)
        {
            return _request.IncludesAllInterfaces
                ? [.. all.Where(static one => one.IsUp).Take(MaxInterfaces)]
                : WithDevices(all, all.Where(one => one.IsUp && !one.IsLoopback && _routed.Contains(one.Name)));
        }

        InterfaceFacts[] chosen =
            WithDevices(all, all.Where(one => string.Equals(one.Name, wanted, StringComparison.Ordinal)));
        return chosen.Length > 0
            ? chosen
            : throw new ArgumentException($"The interface {wanted} does not exist.", nameof(all));
    }

    // A bond, bridge or VLAN has no card of its own: what is lost or set at those below counts as much.
    private InterfaceFacts[] WithDevices(IReadOnlyList<InterfaceFacts> all, IEnumerable<InterfaceFacts> chosen)
    {
        string[] names = [.. chosen.Select(static one => one.Name).Take(MaxInterfaces)];
        var wanted = InterfaceInterrupts.ReadAll(names, _request.RootPath)
            .SelectMany(static one => one.DeviceNames)
            .Concat(names)
            .ToHashSet(StringComparer.Ordinal);
        return [.. all.Where(one => wanted.Contains(one.Name)).Take(MaxInterfaces)];
    }

    // A virtual interface tells of a speed that means nothing: those with a default route count, or the one asked for.
    private HostProfile FindProfile(HostInterface[] interfaces) => ProfileNeeds.ProfileFor(interfaces
        .Where(one => _request.Interface is not null || _routed.Contains(one.Name))
        .Max(static one => one.Link.SpeedBitsPerSecond));

    private HostInterface ReadSettings(InterfaceFacts one) => new(
        one,
        LinkFacts.Read(one.Name, _request.RootPath),
        InterfaceInterrupts.ReadAll([one.Name], _request.RootPath)[0],
        CardSettings.Read(_replies, one.Name));

    private HostInterface ReadStatistics(HostInterface one) => one with
    {
        Card = one.Card with { Statistics = CardStatistics.Read(_replies, one.Name) },
    };
}
