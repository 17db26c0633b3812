using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using Spate.Measurement.PathTest;
using Spate.Measurement.Traffic;
using Spate.TestHelpers.PathTest;

namespace Spate.HostTests.Namespaces;

/// <summary>
/// The two ends of a test, each in a network namespace of its own, with a veth pair between them. It runs real tests
/// over them, one after the other.
/// </summary>
internal sealed class TestPair : IDisposable
{
    public const string ServerAddress = "10.77.0.1";
    public const string ClientAddress = "10.77.0.2";
    public const int Port = 9999;
    public const int SizeBytes = 1000;
    public const int HeaderBytes = 28;

    private const string Sender = "senderApplication";
    private const int BrokenFromInterval = 2;
    private const double ShortIntervalSeconds = 0.1;

    // The path is broken after two intervals and repaired after some five, and then some must arrive.
    private const double BrokenSeconds = 1;

    /// <summary>Long enough for a rate: an empty queue takes datagrams at any rate until it is full.</summary>
    public const double RateSeconds = 1;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan BrokenFor = TimeSpan.FromSeconds(0.2);

    /// <param name="isJoined">Whether the two are neighbours; otherwise the test makes the way between them.</param>
    public TestPair(bool isJoined = true)
    {
        if (isJoined) NetworkNamespace.Join(Server, ServerAddress + "/24", Client, ClientAddress + "/24");
    }

    /// <summary>
    /// Some hundred datagrams that are no GSO messages, since most counters on the way count GSO messages.
    /// </summary>
    public static TestClientOptions Plain { get; } = new()
    {
        Servers = [UdpEndPoint.Parse($"{ServerAddress}:{Port}")],
        Parameters = new TestParameters
        {
            SizeBytes = SizeBytes,
            DatagramsPerSecond = 2000,
            Seconds = 0.3,
            SegmentedSend = false,
            CoalescedReceive = false,
        },
    };

    /// <summary><see cref="Plain"/> to another address of the server.</summary>
    public static TestClientOptions PlainTo(string address) =>
        Plain with { Servers = [UdpEndPoint.Parse($"{address}:{Port}")] };

    /// <summary>Whether the server may exceed the host's limits, such as that of buffers. Default: true.</summary>
    public bool ServerIsPrivileged { get; init; } = true;

    public NetworkNamespace Server { get; } = new();

    public NetworkNamespace Client { get; } = new();

    /// <summary>
    /// Runs a test, and checks of every direction that its parts add up, to the datagrams of its rate.
    /// </summary>
    /// <param name="options">The test.</param>
    /// <param name="beforeData">Called when all is agreed on and no data has been sent.</param>
    /// <param name="onInterval">Called at the end of every interval, on a thread of the test.</param>
    public TestReport Run(
        TestClientOptions options, Action<TestClient>? beforeData = null, Action? onInterval = null)
    {
        CancellationToken cancellation = TestContext.Current.CancellationToken;
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        using TestServer server = Server.Enter(OpenServer);
        var serving = new Thread(() => Server.Enter(() =>
        {
            if (!ServerIsPrivileged) ThreadCapabilities.DropNetAdmin();
            server.Run(cancellationToken: stop.Token);
            return true;
        }));
        serving.Start();
        try
        {
            TestReport report = Client.Enter(() =>
            {
                using TestClient client = TestClient.Connect(options, cancellationToken: cancellation);
                beforeData?.Invoke(client);
                return client.Run((_, _) => onInterval?.Invoke(), cancellation);
            });
            Assert.All(report.Directions, one => AddsUp(one, options.Parameters));
            return report;
        }
        finally
        {
            stop.Cancel();
            serving.Join();
        }
    }

    /// <summary>Runs a test of one direction.</summary>
    /// <inheritdoc cref="Run"/>
    public TestDirectionReport RunOne(TestClientOptions options, Action<TestClient>? beforeData = null) =>
        Assert.Single(Run(options, beforeData).Directions);

    /// <summary>Runs a test of one direction, and breaks something for a while in the middle of its data.</summary>
    public TestDirectionReport RunBroken(TestClientOptions options, Action breakIt, Action repair)
    {
        int intervals = 0;
        long brokenTicks = 0;
        bool isRepaired = false;
        void OnInterval()
        {
            if (++intervals == BrokenFromInterval)
            {
                breakIt();
                brokenTicks = Stopwatch.GetTimestamp();
            }
            else if (intervals > BrokenFromInterval && !isRepaired && Stopwatch.GetElapsedTime(brokenTicks) > BrokenFor)
            {
                repair();
                isRepaired = true;
            }
        }

        TestClientOptions longer = options.Asking(
            static test => (test.IntervalSeconds, test.Seconds) = (ShortIntervalSeconds, BrokenSeconds));
        TestReport report = Run(longer, onInterval: OnInterval);
        Assert.True(isRepaired, $"There were {intervals} intervals, too few to repair the path.");
        return Assert.Single(report.Directions);
    }

    /// <summary>Runs a test whose verdict has named options, this time with them. Nothing is lost.</summary>
    public TestDirectionReport RunWithRemedy(TestClientOptions options, string? remedy, int mtuBytes = 1500)
    {
        string[] words = Assert.IsType<string>(remedy).Split(' ');
        Assert.Equal(2, words.Length);
        int value = words[1] is "mtu" ? mtuBytes - HeaderBytes : int.Parse(words[1], CultureInfo.InvariantCulture);
        TestClientOptions helped = words[0] switch
        {
            "--rate" => options.Asking(test => test.DatagramsPerSecond = value),
            "--size" => options.Asking(test => test.SizeBytes = value),
            "--remote-buffer" => options.Asking(test => test.BufferBytes = value),
            _ => throw new InvalidOperationException($"{remedy} cannot be applied here."),
        };
        TestDirectionReport after = RunOne(helped);
        AllArrives(after);
        return after;
    }

    /// <summary>Nothing was lost. A busy machine may have made the sender skip some.</summary>
    public static void AllArrives(TestDirectionReport one)
    {
        long skipped = one.LostWhere[Sender];
        Assert.Equal(one.Offered - skipped, one.Unique);
        if (skipped == 0) Assert.Equal("Nothing was lost.", one.Verdict);
    }

    /// <summary>
    /// All that is missing was lost in one place, and the verdict says so and names the remedy. A busy machine may have
    /// made the sender skip some; where those are the larger part, the counts must fit, and the verdict is not judged.
    /// </summary>
    public static void AllLostAt(string place, string verdict, string? remedy, TestDirectionReport one)
    {
        long skipped = place is Sender ? 0 : one.LostWhere[Sender];
        Assert.Equal(one.Offered - one.Unique - skipped, one.LostWhere[place]);
        Assert.Equal(0, one.Unexplained);
        NotJudged.When(
            skipped > one.LostWhere[place],
            "other programs keep the CPUs so busy that the sender cannot keep the rate");
        Assert.NotEqual(0, one.LostWhere[place]);
        Assert.Contains($" % of the loss is {verdict}", one.Verdict, StringComparison.Ordinal);
        if (skipped == 0) Assert.StartsWith("100 % ", one.Verdict, StringComparison.Ordinal);
        Assert.Equal(remedy, one.Remedy);
    }

    /// <summary>Judges no receiver's buffer where the reader was not given enough of a CPU.</summary>
    public static void SkipIfReaderWaited(TestEndReport receiver)
    {
        TrafficReport received = receiver.Received!;
        double waited = received.Threads.Max(static thread => thread.Reader!.WaitingSeconds);
        NotJudged.When(
            waited / received.Seconds > 0.2,
            "other programs keep the CPUs so busy that the reader waits");
    }

    /// <summary>The port of the flow that a rule can tell from the others.</summary>
    public static int PortOf(TestClient client) => client.FirstSocket.LocalEndPoint.Port;

    public void Dispose()
    {
        Client.Dispose();
        Server.Dispose();
    }

    // A program that another test starts holds copies of all sockets of this process until it is loaded, and with them
    // the port of the run before.
    private static TestServer OpenServer()
    {
        long start = Stopwatch.GetTimestamp();
        while (true)
        {
            try
            {
                return TestServer.Open(new TestServerOptions { Local = UdpEndPoint.Any(Port) });
            }
            catch (SocketException busy) when (
                busy.SocketErrorCode == SocketError.AddressAlreadyInUse && Stopwatch.GetElapsedTime(start) < Patience)
            {
                Thread.Yield();
            }
        }
    }

    private static void AddsUp(TestDirectionReport one, TestParameters asked)
    {
        TestContext.Current.TestOutputHelper?.WriteLine(one.Verdict);
        if (asked is { DatagramsPerSecond: { } rate, Seconds: { } seconds, DatagramCount: null })
        {
            Assert.Equal(rate * seconds, one.Offered, tolerance: asked.Flows);
        }

        Assert.Equal(one.Datagrams + one.Refused, one.Unique + one.Lost);
        Assert.Equal(one.Offered, one.Unique + one.LostWhere.Values.Sum() + one.Unexplained);
        Assert.All(one.LostWhere.Values, static count => Assert.InRange(count, 0, long.MaxValue));
    }
}
