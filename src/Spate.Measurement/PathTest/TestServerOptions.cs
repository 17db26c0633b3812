using Spate.HostTuning.Placement;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>What a <see cref="TestServer"/> offers, and to how many.</summary>
internal sealed record TestServerOptions
{
    /// <summary>Tests at the same time: 1 to this.</summary>
    public const int MaxMaxClients = 1024;

    /// <summary>Where to listen; control and data use this port. Default: port 9999 of any IPv4 address.</summary>
    public UdpEndPoint Local { get; init; } = UdpEndPoint.Any(9999);

    /// <summary>How many tests may run at the same time; more are refused. Default: 8.</summary>
    public int MaxClients { get; init; } = 8;

    /// <summary>The longest test, which is also the length of one that names none. Default: one hour.</summary>
    public TimeSpan MaxDuration { get; init; } = TimeSpan.FromHours(1);

    /// <summary>
    /// The highest rate of one test and direction in datagrams a second; infinite (the default) for no limit.
    /// </summary>
    public double MaxDatagramsPerSecond { get; init; } = double.PositiveInfinity;

    /// <summary>The key that every client must have; null (the default) for none.</summary>
    public TestKey? Key { get; init; }

    /// <summary>CPUs of the flows' threads where the client names none; empty (the default): the system.</summary>
    public IReadOnlyList<int> Cpus { get; init => field = RecordList.Copy(value); } = RecordList.Copy<int>([]);

    /// <summary>
    /// Whether the CPUs of a test's flows are planned when the test begins, as with <c>--cpu auto</c>, where the client
    /// names none; <see cref="Cpus"/> is then not used. Each test is planned by itself. Default: false.
    /// </summary>
    public bool AutomaticCpus { get; init; }

    /// <summary>
    /// Whether the thread of a test with one flow and one direction takes the CPU on which a bench places that end,
    /// where the client is on this host and no CPU is named: <see cref="TrafficOptions.PlacesBesidePeer"/>. Default:
    /// false.
    /// </summary>
    public bool PlacesBesidePeer { get; init; }

    /// <summary>
    /// Receives the plan of each test whose CPUs are planned, on the server's thread, just before the test begins; null
    /// (the default) for none.
    /// </summary>
    public Action<CpuPlan>? OnPlan { get; init; }

    /// <summary>How data is moved, where the client does not say.</summary>
    public TransportOptions Transport { get; init; } = new();

    /// <summary>
    /// Whether to end after one test, however that ends. One that ends before its data begins does not count. Default:
    /// false.
    /// </summary>
    public bool EndsAfterOne { get; init; }

    /// <summary>All values as text, at most 16 elements of each list.</summary>
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

    /// <summary>What is granted of what was asked for.</summary>
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

    /// <summary>How the server moves the data of a test.</summary>
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
