using System.Text.Json;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;

namespace Spate.Tests.Cli.Iperf.Iperf3.Wire;

/// <summary>Compares results by what they hold: records compare their lists by identity.</summary>
internal static class SameResults
{
    public static void Check(Iperf3Results expected, Iperf3Results actual)
    {
        Assert.Equal(expected.Cpu, actual.Cpu);

        // What was below zero is 0, and is written as that.
        Assert.Equal(expected.Streams.Select(static stream => stream with { HasNegative = false }), actual.Streams);
        Assert.Equal(expected.ServerText, actual.ServerText);
        Assert.Equal(expected.ServerJson, actual.ServerJson);
        Assert.Equal(Text(expected.Spate), Text(actual.Spate));
    }

    private static string Text(TestEndReport? report) => report is null
        ? ""
        : JsonSerializer.Serialize(report, SessionJson.Default.TestEndReport);
}
