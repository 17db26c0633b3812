using Spate.Cli.Bench.Designs;
using Spate.Cli.Bench.Drain;
using Spate.Cli.Bench.PingPong;
using Spate.Cli.Bench.Relay;
using Spate.Cli.Bench.Rounds;
using Spate.Cli.Bench.Sessions;
using Spate.Cli.Bench.Sockets;
using Spate.Cli.Bench.Sweep;
using Spate.Cli.Bench.Throughput;
using Spate.Cli.Gateway;
using Spate.Measurement.Counting;
using Spate.Measurement.HostUse;
using Spate.Measurement.PathTest;
using Spate.Measurement.Reports;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Measurement.Reports;

/// <summary>One report of each kind, with the fields that the tests of the format look at.</summary>
internal static class SampleReports
{
    public static Report[] EveryKind() =>
    [
        Traffic(), Test(), Bench(), Drain(), Sessions(), Sockets(), Designs(), PingPong(), Relay(), Sweep(), Gateway(),
        GatewayRead(),
    ];

    public static TrafficReport Traffic() => new()
    {
        Kind = TrafficReport.ReceiveKind,
        Backend = "mmsg",
        Offloads = ["gro"],
        Flows = 2,
        Ports = [9999],
        SizeBytes = 100,
        Datagrams = 1000,
        Bytes = 100_000,
        Seconds = 2,
        Lost = 5,
        Unique = 995,
        LossBursts = new LengthReport { Count = 2, Mean = 2.5, Max = 3, CountsByPowerOfTwo = [0, 2] },
        DelayVariation = new DelayVariation { Buffers = 9, P99Microseconds = 3, DriftPartsPerMillion = 1.5 },
        KernelDrops = 4,
        KernelDropUnit = "coalesced buffers",
        Threads = [new ThreadReport { Role = "receive", Cpu = 3, Node = 0, CpuNanoseconds = 12 }],
        Intervals = [new IntervalReport { Seconds = 1, Datagrams = 500, Bytes = 50_000, Lost = -1, CpuPercent = 9.5 }],
        PerStream = [new StreamReport { StreamId = "00000000deadbeef", Datagrams = 1000, Ended = true }],
    };

    public static TestReport Test() => new()
    {
        Kind = TestReport.KindName,
        Label = "night",
        Servers = ["[::1]:9999"],
        Flows = 1,
        SizeBytes = 100,
        Directions =
        [
            new TestDirectionReport { From = "client", Datagrams = 1000, Unique = 995, Lost = 5, Verdict = "lost" },
        ],
        RoundTrip = new RoundTripReport { Samples = 1, MinMicroseconds = 40.5 },
        Local = new TestEndReport { Sent = new TrafficReport { Kind = TrafficReport.SendKind, Datagrams = 1000 } },
        Remote = new TestEndReport { Received = Traffic() },
    };

    public static GatewayReport Gateway() => new()
    {
        Kind = GatewayReport.KindName,
        Id = "collector",
        Target = "amqps://mq1:5671,mq2:5671/%2F",
        Queue = "stream",
        QueueNames = ["logs-0", "logs-1"],
        State = "committing",
        Datagrams = 1000,
        Bytes = 100_000,
        Seconds = 2,
        Accepted = 1000,
        Committed = 900,
        Dropped = 70,
        DroppedWindowFull = 40,
        DroppedRefused = 10,
        DroppedOversized = 9,
        DroppedShutdown = 8,
        NotAllowed = 3,
        InDoubt = 30,
        Unread = 2,
        KernelDrops = 4,
        KernelDropUnit = "datagrams",
        MessagesConfirmed = 20,
        MessagesPublishedAgain = 3,
        ConnectionsLost = 1,
        Pipelines =
        [
            new GatewayPipelineReport { State = "committing", Accepted = 1000, Committed = 900, Dropped = 70 },
        ],
        Intervals = [new IntervalReport { Seconds = 1, Datagrams = 500, Bytes = 50_000, CpuPercent = 9.5 }],
    };

    public static GatewayReadReport GatewayRead() => new()
    {
        Kind = GatewayReadReport.KindName,
        From = "amqp://localhost:5672/%2F",
        Stream = "logs",
        Messages = 20,
        MessagesForeign = 1,
        Datagrams = 900,
        Duplicates = 50,
        Missing = 5,
        CommittedMissing = 2,
        Keys =
        [
            new GatewayKeyReport
            {
                Gateway = "collector",
                Epoch = 1_700_000_000_000_000_000,
                State = "ended",
                NextSequence = 1000,
                Datagrams = 900,
                LastAccepted = 1000,
                Missing = 5,
                Gaps =
                [
                    new GatewayGapReport { Kind = "dropped", First = 100, Count = 95, Reason = "window-full" },
                    new GatewayGapReport { Kind = "missing", First = 300, Count = 5 },
                ],
            },
        ],
    };

    public static BenchReport Bench() => new()
    {
        Rounds = 9,
        Rows =
        [
            new BenchRow
            {
                Name = "spate-mmsg",
                SizeBytes = 1380,
                DatagramsPerSecond = 1.5e6,
                BitsPerSecond = 1.656e10,
                LostPercent = 0.1,
                SendNanosecondsPerDatagram = 600,
                ReceiveNanosecondsPerDatagram = null,
                AllocatedBytesPerDatagram = 0,
                Gen0Collections = 0,
                DatagramsPerCall = 31.5,
                SpreadPercent = 4.2,
            },
        ],
    };

    public static DrainReport Drain() => new()
    {
        Rounds = 5,
        Rows =
        [
            new DrainRow
            {
                Name = "spate-mmsg-gso-gro",
                SizeBytes = 64,
                ReceiveNanosecondsPerDatagram = 11,
                SendNanosecondsPerDatagram = 20,
                Samples = [12.5, 11, 10],
            },
        ],
        Skipped = [new BenchSkippedRow("spate-uring", "not available here")],
        Seconds = 3,
    };

    public static SweepReport Sweep() => new()
    {
        Bench = "drain",
        Row = "spate-mmsg-gso-gro",
        SizeBytes = 1380,
        Figure = "receiveNanosecondsPerDatagram",
        Default = "1",
        Best = "0",
        Conclusion = "--cpu 0 is 12 % cheaper than the default 1 (95 %: 8.0 to 16)",
        Rounds = 5,
        Rows = [new SweepRow { Cpu = "1", Placement = "the default", Median = 40, Samples = [40, 41, 39] }],
    };

    public static SessionsReport Sessions() => new()
    {
        Rounds = 7,
        Rows = [new SessionsRow { Peers = 9, Pattern = "runs", SizeBytes = 64, NanosecondsPerDatagram = 12.5 }],
        AgingPassMicroseconds = 20,
    };

    public static SocketsReport Sockets() => new()
    {
        Rounds = 3,
        Rows =
        [
            new SocketsRow
            {
                Sockets = 9,
                Mode = "poller",
                Queued = 2,
                SizeBytes = 64,
                ReceiveNanosecondsPerDatagram = 500,
                SpreadPercent = 4,
                Samples = [500, 490, 510],
            },
        ],
    };

    public static PingPongReport PingPong() => new()
    {
        SizeBytes = 64,
        Rounds = 7,
        Rows =
        [
            new PingPongRow
            {
                Mode = "spinning", P50Microseconds = 4.5, P99Microseconds = 9, P999Microseconds = 40, Pings = 1000,
            },
        ],
        Idle = [new IdleRow { Design = "reader-workers", ThreadCount = 2, CpuPercent = 0.1 }],
    };

    public static RelayReport Relay() => new()
    {
        SizeBytes = 32,
        AskedDatagramsPerSecond = 100_000,
        Rows =
        [
            new RelayRow
            {
                Name = "spate", UsesGso = true, DatagramsPerSecond = 1e5, LostPercent = 0, CpuPercentOfOneCore = 17.5,
            },
        ],
    };

    public static DesignsReport Designs() => new()
    {
        Rounds = 5,
        SizeBytes = 1024,
        DatagramsPerRound = 1_000_000,
        Notes = ["one-by-one, work 500, 8 threads: 3 of 5 were not handled"],
        Rows =
        [
            new DesignRow
            {
                Design = "one-by-one",
                WorkRounds = 500,
                ThreadCount = 8,
                DatagramsPerSecond = 384_000,
                ProcessedPercent = 99,
                NanosecondsPerDatagram = 3700.5,
                AllocatedBytesPerDatagram = 0.001,
                InterruptsPerSecond = null,
                LockedBytes = 0,
                SpreadPercent = 7,
                Threads =
                [
                    new DesignThreadRow
                    {
                        Datagrams = 10,
                        Calls = 4,
                        LeastPerCall = 1,
                        MeanPerCall = 2.5,
                        MostPerCall = 5,
                        CpuNanoseconds = 20_000_000,
                        UserNanoseconds = 10_000_000,
                        SystemNanoseconds = null,
                        VoluntarySwitches = 3,
                        InvoluntarySwitches = null,
                    },
                ],
            },
        ],
    };
}
