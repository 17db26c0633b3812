using System.Globalization;
using System.Text.RegularExpressions;
using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Throughput.Peers;

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
            throw new BenchException($"sockperf sends {MinSizeBytes} bytes at least, so not {setup.SizeBytes}.");
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
