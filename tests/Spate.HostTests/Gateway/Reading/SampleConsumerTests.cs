using System.Diagnostics;
using Spate.Gateway;
using Spate.Gateway.Format;
using Spate.HostTests.Gateway.Brokers;
using Spate.HostTests.Gateway.Failures;
using Spate.TestHelpers.Gateways;

namespace Spate.HostTests.Gateway.Reading;

/// <summary>samples/gateway-consumer.py, which reads a stream without Spate.</summary>
[Collection(BrokerCollection.Name)]
public sealed class SampleConsumerTests
{
    private const string Python = "/usr/bin/python3";

    private readonly RabbitBroker _broker;

    public SampleConsumerTests(RabbitBroker broker)
    {
        BrokerSetup.Require();
        _broker = broker;
    }

    [Fact]
    public async Task Consumer_RunningAndStoppedGateway_SaysThatNothingIsMissing()
    {
        string name = await _broker.DeclareStreamAsync();
        await using GatewayBench bench = await GatewayBench.StartAsync(_broker, name);
        await bench.CommitAsync(1000);

        // AccountingMessages come every second, so there is no silence by which it could end.
        ToolResult running = await RunAsync(name);
        await bench.StopAsync();
        ToolResult stopped = await RunAsync(name);

        Assert.Equal((0, ""), (running.ExitCode, running.Error));
        Assert.Contains("missing []", running.Output, StringComparison.Ordinal);
        Assert.Equal((0, ""), (stopped.ExitCode, stopped.Error));
        Assert.Contains(
            $"up to {bench.Gateway.GetStatistics().Accepted}, 0 copies, missing []", stopped.Output,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Consumer_LossesCopiesAndHostileMessages_AreCounted()
    {
        await using StreamBench stream = await StreamBench.OpenAsync(_broker, await _broker.DeclareStreamAsync());
        byte[] wrongKind = MessageBytes.Records(0, 1);
        wrongKind[5] = 7;
        byte[][] messages =
        [
            MessageBytes.AccountingTotals(0, 0, 1, flags: PackFlags.Begin), wrongKind, [1, 2, 3],
            MessageBytes.Records(0, 5), MessageBytes.Records(0, 5), MessageBytes.Records(20, 5),
            MessageBytes.AccountingTotals(
                30, 10, 2, [new DroppedRange(10, 5, GatewayDropReason.Refused)], PackFlags.End),
        ];
        foreach (byte[] message in messages) await stream.PublishAsync(message);
        ToolResult result = await RunAsync(stream.Name);

        Assert.Equal((1, ""), (result.ExitCode, result.Error));
        Assert.Contains(
            "up to 30, 5 copies, missing [(5, 10), (15, 20), (25, 30)]", result.Output, StringComparison.Ordinal);
        Assert.Contains("could not be read: 2 [", result.Output, StringComparison.Ordinal);
    }

    private async Task<ToolResult> RunAsync(string stream)
    {
        string script = Path.Combine(RepositoryTop.Path, "samples", "gateway-consumer.py");
        Assert.SkipUnless(await HasPikaAsync(), "python3-pika is needed (Debian's package)");
        using Process consumer = Start(script, "127.0.0.1", $"{_broker.Nodes[0].Port}", stream);
        return await ToolProcess.FinishAsync(consumer);
    }

    private static async Task<bool> HasPikaAsync()
    {
        if (!File.Exists(Python)) return false;
        using Process look = Start("-c", "import pika");
        return (await ToolProcess.FinishAsync(look)).ExitCode == 0;
    }

    private static Process Start(params string[] arguments) => Process.Start(new ProcessStartInfo(Python, arguments)
    {
        RedirectStandardOutput = true,
        RedirectStandardError = true,
        UseShellExecute = false,
    })!;
}
