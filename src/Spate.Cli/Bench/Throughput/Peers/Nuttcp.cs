using System.Globalization;

namespace Spate.Cli.Bench.Throughput.Peers;

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
