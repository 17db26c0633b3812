using System.Net.Sockets;
using Spate.Cli.Iperf.Iperf2.Results;
using Spate.Cli.Iperf.Iperf2.Wire;

namespace Spate.Cli.Iperf.Iperf2.Ends;

/// <summary>
/// The tests that a server sends back. The address that one goes to may be forged, so they are few, slow and short,
/// and the flows of one address share the rate of one. One thread uses it.
/// </summary>
internal sealed class Iperf2ReverseSet(Iperf2ServerOptions options, TimeProvider time)
{
    public const int MaxTests = 4;

    private const int MaxPort = 65_535;

    // Of an address; any number of tests up to the most shares it without a rest.
    private const int WholeRate = 12;

    // The first datagram of a flow leaves at once, and one more each time that its end is told: long datagrams must not
    // pass a low limit.
    private const double MaxDatagramSeconds = 0.1;

    // Room for the number with its high half.
    private const int MinSizeBytes = Iperf2Header.Bytes;

    private const int MaxSizeBytes = 65_507;

    private static readonly TimeSpan MaxTime = TimeSpan.FromSeconds(60);

    private readonly List<Iperf2ReverseTest> _running = [];

    /// <summary>Whether tests may begin: not when the server ends.</summary>
    public bool IsOpen { get; set; }

    /// <summary>What is sent to a client, within the limits: only to the address of the flow that asked.</summary>
    public static Iperf2ClientOptions ToClient(
        Iperf2Stream flow, in Iperf2Settings asked, Iperf2ServerOptions options)
    {
        UdpEndPoint client = flow.Remote.WithPort(asked.Port == 0 ? Iperf2ClientOptions.DefaultPort : asked.Port);
        int defaultBytes =
            client.IsIPv6 ? Iperf2ClientOptions.DefaultSizeBytesIPv6 : Iperf2ClientOptions.DefaultSizeBytes;
        double mostBitsPerSecond = MostBitsPerSecond(asked, options);
        double mostBytes = Math.Clamp(mostBitsPerSecond / 8 * MaxDatagramSeconds, MinSizeBytes, MaxSizeBytes);
        int sizeBytes = Math.Clamp(asked.SizeBytes == 0 ? defaultBytes : asked.SizeBytes, MinSizeBytes, (int)mostBytes);
        double bitsPerSecond = asked.BitsPerSecond > 0 ? asked.BitsPerSecond : Iperf2ClientOptions.DefaultBitsPerSecond;
        double askedSeconds = asked.Amount < 0 ? -asked.Amount / 100.0 : MaxTime.TotalSeconds;
        return new Iperf2ClientOptions
        {
            Server = client,
            Local = flow.Local.Address.IsUnspecified ? default : flow.Local.WithPort(0),
            SizeBytes = sizeBytes,
            DatagramsPerSecond = Math.Min(bitsPerSecond, mostBitsPerSecond) / 8 / sizeBytes,
            Duration = TimeSpan.FromSeconds(Math.Min(askedSeconds, MaxTime.TotalSeconds)),
            ByteCount = asked.Amount < 0 ? null : Math.Max(1, asked.Amount),
            Interval = options.Interval,
            Transport = options.Transport,
        };
    }

    public void Begin(Iperf2Stream flow, in Iperf2Settings asked, Func<int> number, IIperf2Observer observer)
    {
        if (!IsOpen && options.AllowReverse) return;

        string option = asked.Reverse == Iperf2Reverse.Together ? "-d" : "-r";
        if (Refusal(flow, asked) is { } reason)
        {
            observer.Notice($"{flow.Remote} asked for {option}, which is refused: {reason}");
            return;
        }

        try
        {
            _running.Add(new Iperf2ReverseTest(ToClient(flow, asked, options), number(), MaxTime, time)
            {
                Share = Share(asked),
                MaxBitsPerSecond = MostBitsPerSecond(asked, options),
            });
        }
        catch (SocketException fault)
        {
            observer.Notice($"{flow.Remote} asked for {option}, which failed: {fault.Message}");
        }
    }

    public void Tell(IIperf2Observer observer) => _running.RemoveAll(test =>
    {
        if (!test.Tell(observer) || (IsOpen && !test.IsPaid)) return false;

        test.Dispose();
        return true;
    });

    /// <summary>Ends all of them; what they have to tell can still be told.</summary>
    public void Stop()
    {
        IsOpen = false;
        foreach (Iperf2ReverseTest test in _running) test.Abandon();
        foreach (Iperf2ReverseTest test in _running) test.Join();
    }

    // A client with several flows waits until each of them came back, and says how many there are.
    private static int Share(in Iperf2Settings asked) => WholeRate / Math.Clamp(asked.FlowCount, 1, MaxTests);

    private static double MostBitsPerSecond(in Iperf2Settings asked, Iperf2ServerOptions options) =>
        (double)options.MaxReverseBitsPerSecond * Share(asked) / WholeRate;

    private string? Refusal(Iperf2Stream flow, in Iperf2Settings asked)
    {
        if (!options.AllowReverse) return "start the server with --allow-reverse";
        if (asked.Port is < 0 or > MaxPort) return "it names no port that there is";
        int port = asked.Port == 0 ? Iperf2ClientOptions.DefaultPort : asked.Port;
        if (flow.Remote.WithPort(port) == flow.Local) return "it names this server's own port: give the client -L";
        if (_running.Count >= MaxTests) return $"{MaxTests} tests are sent already";

        UdpAddress address = flow.Remote.Address;
        Iperf2ReverseTest[] served = [.. _running.Where(test => test.Remote.Address == address)];
        bool isFull = served.Sum(static test => test.Share) + Share(asked) > WholeRate;
        return isFull ? $"{served.Length} are sent to that address already, and share its rate" : null;
    }
}
