using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using Spate.HostTests.Namespaces;
using Spate.Measurement.Pacing;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.PathTest;

namespace Spate.HostTests.Qdiscs;

/// <summary>Times to leave over fq, which keeps them, and over etf, which is refused: between two namespaces.</summary>
[NamespaceLoad("it loads network namespaces and counts their loss")]
public sealed partial class FqTests : IDisposable
{
    private const int DatagramCount = 20;
    private const long NanosecondsPerMillisecond = 1_000_000;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly TestPair _pair = new();

    public void Dispose() => _pair.Dispose();

    [Fact]
    public void Test_TransmitTimesOverFq_AllArrive()
    {
        _ = new Qdisc(_pair.Client, "fq", isForDataOnly: false);

        TestReport report = _pair.Run(TestPair.Plain.Asking(static test =>
        {
            test.DatagramsPerSecond = 50;
            test.Seconds = 4;
            test.Pace = PaceMode.Txtime;
        }));

        TestPair.AllArrives(Assert.Single(report.Directions));
        Assert.Equal("txtime", report.Local.Sent!.Pacing!.Mode);
    }

    [Fact]
    public void Send_TransmitTimesOverFq_FqHoldsAllUntilTheirTimes()
    {
        _ = new Qdisc(_pair.Client, "fq", isForDataOnly: false);
        const long gap = 50 * NanosecondsPerMillisecond;
        using UdpSocket sender = _pair.Client.Bind(
            $"{TestPair.ClientAddress}:0", new UdpSocketOptions { EnableTransmitTimes = true });
        using UdpSocket receiver = _pair.Server.Bind(
            $"{TestPair.ServerAddress}:0", new UdpSocketOptions { Metadata = UdpMetadata.Timestamp });
        using SendBatch batch = sender.CreateSendBatch();
        using ReceiveBatch incoming = receiver.CreateReceiveBatch();
        (long monotonic, long now) = BothClocks();
        long first = monotonic + (500 * NanosecondsPerMillisecond);
        for (int i = 0; i < DatagramCount; i++)
        {
            SendControl control = new() { TransmitTimeMonotonicNanoseconds = first + (i * gap) };
            Assert.True(batch.TryReserve(receiver.LocalEndPoint, control, 4, out Span<byte> payload));
            BitConverter.TryWriteBytes(payload, i);
        }

        Assert.True(sender.Send(batch).AllSent);
        Assert.Equal(ReceiveStatus.Empty, receiver.TryReceive(incoming));
        for (int next = 0; next < DatagramCount;)
        {
            Assert.Equal(ReceiveStatus.Received, receiver.Receive(incoming, Patience));
            foreach (Datagram one in incoming)
            {
                Assert.Equal(next, BitConverter.ToInt32(one.Payload));
                double dueMilliseconds = (double)(first + (next * gap) - monotonic) / NanosecondsPerMillisecond;
                double cameMilliseconds =
                    (double)(one.TimestampUnixNanoseconds!.Value - now) / NanosecondsPerMillisecond;
                TestContext.Current.TestOutputHelper?.WriteLine(
                    string.Create(CultureInfo.InvariantCulture, $"{dueMilliseconds:0.0} {cameMilliseconds:0.000}"));

                Assert.InRange(cameMilliseconds, dueMilliseconds - 20, double.MaxValue);
                next++;
            }
        }

        Assert.NotEqual(0, HeldByFq());
    }

    [Fact]
    public void Test_TransmitTimesOverEtf_AreRefusedForItsClock()
    {
        _ = new Qdisc(_pair.Client, "etf clockid CLOCK_TAI delta 1000000", isForDataOnly: false);

        string? refusal = _pair.Client.Enter(
            () => TransmitTimeOffer.Refusal(UdpAddress.Parse(TestPair.ServerAddress)));

        Assert.Equal("veth0 has the qdisc etf, which uses CLOCK_TAI: only fq is supported", refusal);
    }

    // The clocks are read one after the other, and a virtual machine may stop in between: the closest of many pairs.
    private static (long Monotonic, long Unix) BothClocks()
    {
        (long monotonic, long unix, long apart) = (0, 0, long.MaxValue);
        for (int i = 0; i < 1000; i++)
        {
            (long before, long between) = (MonotonicNanoseconds(), UnixNanoseconds());
            long after = MonotonicNanoseconds();
            if (after - before < apart) (monotonic, unix, apart) = (before, between, after - before);
        }

        return (monotonic, unix);
    }

    private static long MonotonicNanoseconds() =>
        (long)(Stopwatch.GetTimestamp() * (1e9 / Stopwatch.Frequency));

    private static long UnixNanoseconds() => (DateTime.UtcNow - DateTime.UnixEpoch).Ticks * TimeSpan.NanosecondsPerTick;

    private long HeldByFq() => long.Parse(
        Throttled().Match(_pair.Client.Execute("tc -s qdisc show dev veth0")).Groups["count"].Value,
        CultureInfo.InvariantCulture);

    // After the flows that are held now, all packets that were.
    [GeneratedRegex(
        @"highprio \d+ throttled (?<count>\d+)", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 1000)]
    private static partial Regex Throttled();
}
