using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;
using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Throughput.Peers;

/// <summary>Another program that measures UDP throughput, with its arguments and the parser of its output.</summary>
internal abstract class PeerProgram
{
    /// <summary>Every other program that the bench knows.</summary>
    public static IReadOnlyList<PeerProgram> All { get; } = [new Iperf3Program(), new Nuttcp(), new Sockperf()];

    /// <summary>The name of the row and of the executable.</summary>
    public abstract string Name { get; }

    /// <summary>Null if it is not installed.</summary>
    public string? ExecutablePath => field ??= FindOnPath(Name);

    public string? UnavailableReason =>
        ExecutablePath is null ? $"{Name} is not installed; install it to add its row." : null;

    /// <summary>Whether the server waits for the client on a TCP port; otherwise it waits on a UDP port.</summary>
    public abstract bool ControlsOverTcp { get; }

    /// <summary>Whether the server runs until SIGINT and then prints its count.</summary>
    public virtual bool EndsOnInterrupt => false;

    public abstract string[] ServerArguments(PeerSetup setup);

    /// <summary>The arguments of the client, which sends for <see cref="PeerSetup.Seconds"/>.</summary>
    public abstract string[] ClientArguments(PeerSetup setup);

    /// <summary>Null if the output is not as expected.</summary>
    public abstract PeerFigures? Parse(string clientOutput, string serverOutput, PeerSetup setup);

    /// <summary>The error message in the output; null if there is none.</summary>
    public virtual string? DescribeFailure(string clientOutput) => null;

    private static string? FindOnPath(string name)
    {
        string[] folders = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(
            Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        string fileName = OperatingSystem.IsWindows() ? name + ".exe" : name;
        return folders.Select(folder => Path.Combine(folder, fileName)).FirstOrDefault(File.Exists);
    }
}

/// <summary>The settings of a run of another program.</summary>
/// <param name="Seconds">How long the client sends; these programs take whole seconds.</param>
/// <param name="DataPort">Another free port, for programs that use one port for control and one for data.</param>
/// <param name="BufferBytes">The socket buffer that the system grants without force.</param>
internal sealed record PeerSetup(
    int SizeBytes, int Seconds, int ControlPort, int DataPort, int BufferBytes, CpuPlacement Placement);

/// <summary>The figures that another program printed. CPU time is in percent of one CPU, null if not printed.</summary>
internal sealed record PeerFigures(
    long Sent, long Received, double Seconds, double? SenderCpuPercent = null, double? ReceiverCpuPercent = null)
{
    /// <summary>Figures that these programs do not print are null.</summary>
    public BenchRow ToRow(string name, int sizeBytes)
    {
        double rate = Received / Seconds;
        return new BenchRow
        {
            Name = name,
            SizeBytes = sizeBytes,
            DatagramsPerSecond = rate,
            BitsPerSecond = rate * sizeBytes * 8,
            LostPercent = Sent > 0 ? Math.Clamp(100.0 * (Sent - Received) / Sent, 0, 100) : 0,
            SendNanosecondsPerDatagram = PerDatagram(SenderCpuPercent, Sent),
            ReceiveNanosecondsPerDatagram = PerDatagram(ReceiverCpuPercent, Received),
            AllocatedBytesPerDatagram = null,
            Gen0Collections = null,
            DatagramsPerCall = null,
            SpreadPercent = 0,
            Samples = [rate],
        };
    }

    private double? PerDatagram(double? cpuPercent, long datagrams) =>
        cpuPercent is double percent && datagrams > 0 ? percent / 100 * Seconds * 1e9 / datagrams : null;
}

/// <summary>iperf3, with UDP without a rate limit and output as JSON. The options are those of version 3.12.</summary>
internal sealed class Iperf3Program : PeerProgram
{
    public override string Name => "iperf3";

    public override bool ControlsOverTcp => true;

    public override string[] ServerArguments(PeerSetup setup) =>
        ["-s", "-1", "-p", $"{setup.ControlPort}", "-B", "127.0.0.1"];

    public override string[] ClientArguments(PeerSetup setup)
    {
        List<string> arguments =
        [
            "-c", "127.0.0.1", "-p", $"{setup.ControlPort}", "-u", "-b", "0", "-l", $"{setup.SizeBytes}",
            "-w", $"{setup.BufferBytes}", "-t", $"{setup.Seconds}", "--json",
        ];
        if (setup.Placement is { SenderCpu: int sender, ReceiverCpu: int receiver })
        {
            arguments.AddRange(["-A", $"{sender},{receiver}"]);
        }
        return [.. arguments];
    }

    public override PeerFigures? Parse(string clientOutput, string serverOutput, PeerSetup setup)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(clientOutput);
            if (!TryGet(document.RootElement, "end", out JsonElement end) || !TryGet(end, "sum", out JsonElement sum)
                || ReadNumber(sum, "packets") is not double sent || ReadNumber(sum, "lost_packets") is not double lost
                || ReadNumber(sum, "seconds") is not (> 0 and double seconds))
            {
                return null;
            }
            double? sender = null;
            double? receiver = null;
            if (TryGet(end, "cpu_utilization_percent", out JsonElement cpu))
            {
                sender = ReadNumber(cpu, "host_total");
                receiver = ReadNumber(cpu, "remote_total");
            }
            return new PeerFigures((long)sent, (long)Math.Max(0, sent - lost), seconds, sender, receiver);
        }
        catch (JsonException)
        {
            return null;
        }
    }

    public override string? DescribeFailure(string clientOutput)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(clientOutput);
            bool told = TryGet(document.RootElement, "error", out JsonElement error);
            return told && error.ValueKind == JsonValueKind.String ? error.GetString() : null;
        }
        catch (JsonException)
        {
            return null;
        }
    }

    private static bool TryGet(JsonElement parent, string name, out JsonElement value)
    {
        value = default;
        return parent.ValueKind == JsonValueKind.Object && parent.TryGetProperty(name, out value);
    }

    private static double? ReadNumber(JsonElement parent, string name) =>
        TryGet(parent, name, out JsonElement value) && value.ValueKind == JsonValueKind.Number
            && value.TryGetDouble(out double number) && double.IsFinite(number) && number is >= 0 and < 1e15
            ? number
            : null;
}

/// <summary>nuttcp, options of version 6.1.2. Its server serves one client and cannot bind to one address.</summary>
internal sealed class Nuttcp : PeerProgram
{
    public override string Name => "nuttcp";

    public override bool ControlsOverTcp => true;

    public override string[] ServerArguments(PeerSetup setup) =>
        ["-S", "-1", "--nofork", "-P", $"{setup.ControlPort}"];

    public override string[] ClientArguments(PeerSetup setup) =>
    [
        "-u", "-Ru", $"-l{setup.SizeBytes}", $"-w{Math.Max(1, setup.BufferBytes / 1024)}", $"-T{setup.Seconds}",
        "-P", $"{setup.ControlPort}", "-p", $"{setup.DataPort}", "-fparse", "127.0.0.1",
    ];

    public override PeerFigures? Parse(string clientOutput, string serverOutput, PeerSetup setup)
    {
        Dictionary<string, double> values = new(StringComparer.Ordinal);
        foreach (string word in clientOutput.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries))
        {
            int equals = word.IndexOf('=', StringComparison.Ordinal);
            if (equals > 0 && double.TryParse(
                word.AsSpan(equals + 1), NumberStyles.Float, CultureInfo.InvariantCulture, out double value)
                && value is >= 0 and < 1e15)
            {
                values[word[..equals]] = value;
            }
        }

        // "pkt" counts the datagrams sent, and "drop" those of them that did not arrive.
        if (!values.TryGetValue("pkt", out double sent) || !values.TryGetValue("drop", out double dropped)
            || !values.TryGetValue("rate_Mbps", out double megabits) || megabits <= 0)
        {
            return null;
        }
        double received = Math.Max(0, sent - dropped);

        // real_seconds has two decimals only, so the time is computed from the rate.
        double seconds = received * setup.SizeBytes * 8 / (megabits * 1e6);
        return seconds <= 0 ? null : new PeerFigures(
            (long)sent, (long)received, seconds, Known(values, "tx_cpu"), Known(values, "rx_cpu"));
    }

    public override string? DescribeFailure(string clientOutput) =>
        clientOutput.Contains("rror", StringComparison.Ordinal) ? clientOutput : null;

    private static double? Known(Dictionary<string, double> values, string name) =>
        values.TryGetValue(name, out double value) ? value : null;
}

/// <summary>sockperf, options of version 3.7. The server prints what it received when it is interrupted.</summary>
internal sealed partial class Sockperf : PeerProgram
{
    // sockperf writes a header of this size into every message.
    private const int MinSizeBytes = 14;

    private const RegexOptions Options = RegexOptions.CultureInvariant | RegexOptions.ExplicitCapture;
    private const string SentPattern =
        @"Total of (?<count>[0-9]{1,15}) messages sent in (?<seconds>[0-9.]{1,20}) sec";

    private const string ReceivedPattern = @"Total (?<count>[0-9]{1,15}) messages received and handled";
    private const int MatchTimeoutMilliseconds = 1000;

    public override string Name => "sockperf";

    public override bool ControlsOverTcp => false;

    public override bool EndsOnInterrupt => true;

    public override string[] ServerArguments(PeerSetup setup) =>
        ["server", "-i", "127.0.0.1", "-p", $"{setup.ControlPort}", "--buffer-size", $"{setup.BufferBytes}"];

    public override string[] ClientArguments(PeerSetup setup)
    {
        if (setup.SizeBytes < MinSizeBytes)
        {
            throw new BenchException($"sockperf sends at least {MinSizeBytes} bytes, not {setup.SizeBytes}.");
        }
        List<string> arguments =
        [
            "throughput", "-i", "127.0.0.1", "-p", $"{setup.ControlPort}", "--msg-size", $"{setup.SizeBytes}",
            "-t", $"{setup.Seconds}", "--mps=max", "--buffer-size", $"{setup.BufferBytes}",
        ];
        if (setup.Placement.SenderCpu is int sender) arguments.AddRange(["--sender-affinity", $"{sender}"]);
        return [.. arguments];
    }

    public override PeerFigures? Parse(string clientOutput, string serverOutput, PeerSetup setup)
    {
        Match client = SentLine().Match(clientOutput);
        long? received = ReadCount(ReceivedLine().Match(serverOutput));
        if (ReadCount(client) is not long sent || received is null || !double.TryParse(
            client.Groups["seconds"].ValueSpan, CultureInfo.InvariantCulture, out double seconds) || seconds <= 0)
        {
            return null;
        }
        return new PeerFigures(sent, received.Value, seconds);
    }

    private static long? ReadCount(Match match) =>
        match.Success && long.TryParse(match.Groups["count"].ValueSpan, CultureInfo.InvariantCulture, out long count)
            ? count
            : null;

    [GeneratedRegex(SentPattern, Options, MatchTimeoutMilliseconds)]
    private static partial Regex SentLine();

    [GeneratedRegex(ReceivedPattern, Options, MatchTimeoutMilliseconds)]
    private static partial Regex ReceivedLine();
}
