using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Spate.Measurement.PathTest;
using Spate.TestHelpers.PathTest;

namespace Spate.CliTests.Test;

/// <summary>An end of which every string would take over the terminal of the other one, if shown as it is.</summary>
public sealed class HostileEndTests : IDisposable
{
    // Clears the screen, sets the title, begins a line of its own, turns the direction of the text, rings.
    private const string Hostile =
        "\u001b[2J\u001b]0;x\u0007\r\nspate: owned\u202e\u2066\u2028\u0085\u009b31m\u200f\u0000";
    private const int MaxLineLength = 2100;

    private static readonly string Huge = Hostile + new string('x', 100_000);

    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("spate-hostile-");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task Client_HostileRefusal_IsOneHarmlessLine()
    {
        using var server = new HandMadeServer { Refusal = Hostile + new string('x', 150) };

        ToolResult result = await Tool.RunAsync("test", "-c", server.EndPoint.ToString(), "--count", "10");

        Assert.Equal(3, result.ExitCode);
        Assert.Empty(result.Output);
        Assert.Contains("refused: ", Assert.Single(result.ErrorLines), StringComparison.Ordinal);
        AssertHarmless(result.Error);
    }

    [Fact]
    public async Task Client_HostileReport_IsHarmlessOnTheTerminalAndInJson()
    {
        JsonNode report = await ReportOfAServerAsync();
        int strings = Poison(report, Hostile);
        using var server = new HandMadeServer { Report = Encoding.UTF8.GetBytes(report.ToJsonString()) };
        string path = Path.Combine(_folder.FullName, "report.json");

        ToolResult result = await Tool.RunAsync(
            "test", "-c", server.EndPoint.ToString(), "--count", "10", "--json", path);

        Assert.InRange(strings, 5, 1000);
        Assert.True(result.ExitCode == 0, result.Error);
        Assert.Contains("owned", result.Output, StringComparison.Ordinal);
        AssertHarmless(result.Output);
        AssertHarmless(result.Error);
        string json = await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken);
        AssertHarmless(json);
        Assert.Equal(Hostile, JsonNode.Parse(json)!["remote"]!["received"]!["backend"]!.GetValue<string>());
    }

    [Fact]
    public async Task Client_HugeStringsInTheReport_AreCutOnTheTerminal()
    {
        JsonNode report = await ReportOfAServerAsync();
        report["received"]!["backend"] = Huge;
        using var server = new HandMadeServer { Report = Encoding.UTF8.GetBytes(report.ToJsonString()) };

        ToolResult result = await Tool.RunAsync("test", "-c", server.EndPoint.ToString(), "--count", "10");

        Assert.True(result.ExitCode == 0, result.Error);
        AssertHarmless(result.Output);
        Assert.All(result.Output.Split('\n'), static line => Assert.InRange(line.Length, 0, MaxLineLength));
    }

    [Fact]
    public async Task Server_HostileClient_IsHarmlessInItsLog()
    {
        await using RunningTestServer server = await RunningTestServer.StartAsync();
        UdpEndPoint endPoint = UdpEndPoint.Parse(server.EndPoint);
        using (var refused = new HandMadeClient(endPoint))
        {
            byte[] request = refused.Request(
                refused.Cookie(), new TestParameters { Label = Hostile + new string('x', 65) });
            Assert.True(ControlMessage.TryRead(refused.Ask(request), out ControlMessage answer));
            Assert.Equal(ControlKind.Refuse, answer.Kind);
        }

        using (var control = new HandMadeClient(endPoint))
        using (var flow = new HandMadeClient(endPoint))
        {
            ulong token = control.Start(flow, new TestParameters { Label = Hostile, Seconds = 1 });
            byte[] bye = ControlMessage.Create(ControlKind.Bye, token, []);
            Assert.NotNull(control.TryReceive());
            control.Send(bye);
        }

        // A test that comes later is over later, so the log of the hostile ones is complete.
        Assert.Equal(0, (await Tool.RunAsync("test", "-c", server.EndPoint, "--count", "10")).ExitCode);
        string lines = (await server.StopAsync()).Error;
        AssertHarmless(lines);
        Assert.Contains("owned", lines, StringComparison.Ordinal);
        Assert.All(
            lines.Split('\n', StringSplitOptions.RemoveEmptyEntries),
            static line => Assert.Matches("^spate: (test of|refused) 127.0.0.1", line));
    }

    /// <summary>What a server says of a test, as the client's JSON has it.</summary>
    private static async Task<JsonNode> ReportOfAServerAsync()
    {
        await using RunningTestServer server = await RunningTestServer.StartAsync("--once");
        ToolResult result = await Tool.RunAsync("test", "-c", server.EndPoint, "--count", "100", "--json", "-");
        Assert.True(result.ExitCode == 0, result.Error);
        return JsonNode.Parse(result.Output)!["remote"]!.DeepClone();
    }

    /// <summary>Replaces every text of a report. Returns how many there were.</summary>
    private static int Poison(JsonNode? node, string text)
    {
        int count = 0;
        switch (node)
        {
            case JsonObject parts:
                foreach (string name in parts.Select(static part => part.Key).ToArray())
                {
                    count += IsText(parts[name]) ? 1 : Poison(parts[name], text);
                    if (IsText(parts[name])) parts[name] = text;
                }

                break;
            case JsonArray items:
                for (int i = 0; i < items.Count; i++)
                {
                    count += IsText(items[i]) ? 1 : Poison(items[i], text);
                    if (IsText(items[i])) items[i] = text;
                }

                break;
        }

        return count;
    }

    private static bool IsText(JsonNode? node) => node?.GetValueKind() == JsonValueKind.String;

    private static void AssertHarmless(string text) => Assert.All(
        text.EnumerateRunes(),
        static rune => Assert.True(
            rune.Value == '\n' || Rune.GetUnicodeCategory(rune) is not (UnicodeCategory.Control
                or UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator
                or UnicodeCategory.PrivateUse or UnicodeCategory.OtherNotAssigned or UnicodeCategory.Surrogate),
            $"U+{rune.Value:x4} is not harmless."));
}
