using System.Text.Json;

namespace Spate.Cli.Bench.Throughput.Peers;

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
