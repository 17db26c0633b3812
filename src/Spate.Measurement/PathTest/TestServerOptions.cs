using Spate.HostTuning.Placement;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>What a <see cref="TestServer"/> offers, and to how many.</summary>
internal sealed record TestServerOptions
{
    public const int MaxMaxClients = 1024;

    /// <summary>Where to listen; control and data use this port. Default: port 9999 of any IPv4 address.</summary>
    public UdpEndPoint Local { get; init; } = UdpEndPoint.Any(9999);

    /// <summary>How many tests may run at the same time; more are refused. Default: 8.</summary>
    public int MaxClients { get; init; } = 8;

    /// <summary>The longest test, which is also the length of one that names none. Default: one hour.</summary>
    public TimeSpan MaxDuration { get; init; } = TimeSpan.FromHours(1);

    /// <summary>Of one test and direction; infinite (the default) for no limit.</summary>
    public double MaxDatagramsPerSecond { get; init; } = double.PositiveInfinity;

    /// <summary>The key that every client must have; null (the default) for none.</summary>
    public TestKey? Key { get; init; }

    /// <summary>CPUs of the flows' threads where the client names none; empty (the default): the system.</summary>
    public IReadOnlyList<int> Cpus { get; init => field = RecordList.Copy(value); } = RecordList.Copy<int>([]);

    /// <summary>As with <c>--cpu auto</c>, for each test by itself; <see cref="Cpus"/> is then not used.</summary>
    public bool AutomaticCpus { get; init; }

    /// <summary>See <see cref="TrafficOptions.PlacesBesidePeer"/>; for one flow and direction, no CPU named.</summary>
    public bool PlacesBesidePeer { get; init; }

    /// <summary>Called with the plan of each test, on the server's thread, just before the test begins.</summary>
    public Action<CpuPlan>? OnPlan { get; init; }

    /// <summary>How data is moved, where the client does not say.</summary>
    public TransportOptions Transport { get; init; } = new();

    /// <summary>However it ends. One that ends before its data begins does not count. Default: false.</summary>
    public bool EndsAfterOne { get; init; }

    public override string ToString() => RecordText.Of(
        nameof(TestServerOptions), PrintMembers, (nameof(Cpus), Cpus));

    internal void Validate()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxClients, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxClients, MaxMaxClients);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxDuration, TimeSpan.FromMilliseconds(1));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxDuration.TotalSeconds, TestParameters.MaxSeconds);
        if (!(MaxDatagramsPerSecond >= 1)) throw new ArgumentOutOfRangeException(nameof(MaxDatagramsPerSecond));
    }

    internal TestParameters Grant(TestParameters asked)
    {
        double? rate = double.IsPositiveInfinity(MaxDatagramsPerSecond)
            ? asked.DatagramsPerSecond
            : Math.Min(asked.DatagramsPerSecond ?? double.PositiveInfinity, MaxDatagramsPerSecond);
        return asked with
        {
            Seconds = Math.Min(asked.Seconds ?? double.PositiveInfinity, MaxDuration.TotalSeconds),
            DatagramsPerSecond = rate,
        };
    }

    internal TransportOptions TransportOf(TestParameters granted) => Transport with
    {
        BufferBytes = granted.BufferBytes ?? Transport.BufferBytes,
        ForceBuffers = granted.ForceBuffers && Transport.ForceBuffers,
        SegmentedSend = granted.SegmentedSend && Transport.SegmentedSend,
        CoalescedReceive = granted.CoalescedReceive && Transport.CoalescedReceive,
        TrafficClass = granted.TrafficClass ?? Transport.TrafficClass,
        DontFragment = granted.DontFragment || Transport.DontFragment,
    };
}
