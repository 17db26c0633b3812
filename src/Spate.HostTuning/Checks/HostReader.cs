using Spate.HostTuning.Cards;
using Spate.HostTuning.Counters;
using Spate.HostTuning.Cpus;
using Spate.HostTuning.Files;
using Spate.HostTuning.Firewall;
using Spate.HostTuning.Interfaces;
using Spate.HostTuning.Interrupts;
using Spate.HostTuning.Usage;

namespace Spate.HostTuning.Checks;

/// <summary>
/// Reads for all checks what the host has, and what it counted since the last reading or the making. One thread at a
/// time; the network namespace is that of the making thread.
/// </summary>
internal sealed class HostReader : IDisposable
{
    private readonly CheckRequest _request;
    private readonly TimeProvider _time;
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
    private long _ticks;

    /// <param name="request">What to look at.</param>
    /// <param name="time">The clock.</param>
    /// <param name="interfaces">
    /// The interfaces of a recorded host, which are in no file; null for those of this host.
    /// </param>
    /// <exception cref="ArgumentException">There is no such interface.</exception>
    public HostReader(CheckRequest request, TimeProvider time, IReadOnlyList<InterfaceFacts>? interfaces = null)
    {
        _request = request;
        _time = time;
        _chosen = Choose(request, interfaces ?? InterfaceFacts.ReadAll());
        _replies = new CardReplies(request.RootPath);
        _counterReader = new NetworkCounterReader(rootPath: request.RootPath);
        _socketReader = new UdpSocketReader(request.RootPath);
        _cpuReader = new CpuTimesReader(request.RootPath);
        _throttle = new CpuThrottleMeter(request.RootPath);
        _ticks = time.GetTimestamp();
        _counters = _counterReader.Read();
        _sockets = _socketReader.Read();
        _firewall = FirewallReader.Read(request.RootPath);
        _cpus = _cpuReader.Read();
        _statistics = [.. _chosen.Select(one => CardStatistics.Read(_replies, one.Name))];
    }

    /// <summary>Reads the host, and what was counted since the last reading.</summary>
    public HostReadings Take()
    {
        NetworkCounters counters = _counterReader.Read();
        IReadOnlyList<UdpSocketCounters>? sockets = _socketReader.Read();
        IReadOnlyList<DropRule>? firewall = FirewallReader.Read(_request.RootPath);
        IReadOnlyDictionary<int, CpuUse> cpus = _cpuReader.Read();
        HostInterface[] interfaces = [.. _chosen.Select((one, index) => Read(one, _statistics[index]))];
        HostReadings readings = new()
        {
            Request = _request,
            Needs = ProfileNeeds.Of(
                _request.Profile ?? ProfileNeeds.ProfileFor(interfaces.Max(static one => one.Link.SpeedBitsPerSecond))),
            Interfaces = interfaces,
            Cpus = CpuFacts.Read(_request.RootPath),
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
        _cpus = cpus;
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

    private static InterfaceFacts[] Choose(CheckRequest request, IReadOnlyList<InterfaceFacts> all)
    {
        if (request.Interface is not { } wanted)
        {
            List<string> routed = DefaultRoutes.Read(new HostFiles(request.RootPath));
            return [.. all.Where(one => one.IsUp && !one.IsLoopback && routed.Contains(one.Name))];
        }

        InterfaceFacts[] chosen = [.. all.Where(one => string.Equals(one.Name, wanted, StringComparison.Ordinal))];
        return chosen.Length > 0
            ? chosen
            : throw new ArgumentException($"There is no interface {wanted}.", nameof(request));
    }

    private HostInterface Read(InterfaceFacts one, IReadOnlyDictionary<string, ulong> before)
    {
        var card = CardSettings.Read(_replies, one.Name);
        return new HostInterface(
            one,
            LinkFacts.Read(one.Name, _request.RootPath),
            InterfaceInterrupts.ReadAll([one.Name], _request.RootPath)[0],
            card)
        {
            CardGrowth = card.Statistics
                .Where(count => before.TryGetValue(count.Key, out ulong last) && count.Value > last)
                .ToDictionary(
                    static count => count.Key, count => count.Value - before[count.Key], StringComparer.Ordinal),
        };
    }
}
