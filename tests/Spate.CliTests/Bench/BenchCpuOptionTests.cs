using System.CommandLine;
using System.Text.Json;
using Spate.Cli.Bench;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Output;
using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;

namespace Spate.CliTests.Bench;

/// <summary><c>--cpu</c> of the benches: <c>auto</c> is the plan for the loopback, which is explained.</summary>
public sealed class BenchCpuOptionTests : IDisposable
{
    private readonly StringWriter _error = new();
    private readonly LoopbackPlan _plan = LoopbackPlan.Make(CpuFacts.Read());

    private static int Usable => CpuFacts.Read().UsableNumbers[0];

    public void Dispose() => _error.Dispose();

    [Fact]
    public void ReadPair_Auto_TakesThePlanAndExplainsBothEnds()
    {
        Assert.Equal((_plan.Sender.Threads[0].Number, _plan.Receivers.Threads[0].Number), Pair("auto"));

        Assert.Contains(
            $"--cpu auto: 1 thread on CPU {_plan.Receivers.Threads[0].Number}: the loopback has no interrupts; ",
            _error.ToString(),
            StringComparison.Ordinal);
        Assert.Contains(
            $"--cpu auto: 1 thread on CPU {_plan.Sender.Threads[0].Number}: the loopback has no interrupts; ",
            _error.ToString(),
            StringComparison.Ordinal);
    }

    [Fact]
    public void ReadOne_Auto_TakesTheReceiversCpuAndExplainsIt()
    {
        Assert.Equal(
            _plan.Receivers.Threads[0].Number, Read("auto", (option, parsed) => option.ReadOne(parsed)));

        Assert.Contains("receivers take the last", _error.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void ReadServer_Auto_PlacesTheGeneratorAndEveryThread()
    {
        LoopbackPlan plan = LoopbackPlan.Make(CpuFacts.Read(), receiverCount: 3);

        Assert.Equal(
            [plan.Sender.Threads[0].Number, .. plan.Receivers.Threads.Select(static one => one.Number)],
            Read("auto", (option, parsed) => option.ReadServer(parsed, 3)));
    }

    [Fact]
    public void Read_NotGiven_LeavesTheChoiceToTheBench()
    {
        Assert.Equal((null, null), Pair(text: null));
        Assert.Null(Read(null, (option, parsed) => option.ReadOne(parsed)));
        Assert.Empty(Read(null, (option, parsed) => option.ReadServer(parsed, 2)));
        Assert.Empty(_error.ToString());
    }

    [Fact]
    public void ReadPair_OneCpuForBoth_IsTakenWithAWarning()
    {
        Assert.Equal((Usable, Usable), Pair($"{Usable},{Usable}"));

        Assert.Contains(
            $"warning: --cpu: the receiver runs on CPU {Usable} too: both ends share its time",
            _error.ToString(),
            StringComparison.Ordinal);
    }

    [Fact]
    public void Read_WrongNumberOfCpus_SaysHowMany()
    {
        Assert.Contains(
            "expected 2 CPUs, or auto",
            Assert.Throws<CommandException>(() => Pair($"{Usable}")).Message,
            StringComparison.Ordinal);
        Assert.Contains(
            "a CPU twice",
            Assert.Throws<CommandException>(
                () => Read($"{Usable},{Usable}", (option, parsed) => option.ReadOne(parsed))).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void Read_AnyCpu_IsRefused() => Assert.Contains(
        "--cpu any is not a list of CPUs: expected CPU numbers such as 2 or 2,3 or 0-3, or auto",
        Assert.Throws<CommandException>(() => Pair("any")).Message,
        StringComparison.Ordinal);

    [Fact]
    public async Task Sockets_Auto_MeasuresOnTheCpuThatItExplains()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && Environment.ProcessorCount > 1, "two CPUs of Linux are needed");

        ToolResult result = await Tool.RunAsync(
            "bench", "sockets", "--cpu", "auto", "--count", "1", "--queued", "1", "--quick", "--json", "-");

        Assert.True(result.ExitCode == 0, result.Error);
        using JsonDocument report = JsonDocument.Parse(result.Output);
        int cpu = report.RootElement.GetProperty("threads")[0].GetProperty("cpu").GetInt32();
        Assert.Contains($"spate: --cpu auto: 1 thread on CPU {cpu}: ", result.Error, StringComparison.Ordinal);
    }

    private (int? Sender, int? Receiver) Pair(string? text) =>
        Read(text, (option, parsed) => option.ReadPair(parsed));

    private T Read<T>(string? text, Func<BenchCpuOption, ParseResult, T> read)
    {
        var option = new BenchCpuOption("CPUs.", new Streams { Output = TextWriter.Null, Error = _error });
        var command = new Command("some");
        option.AddTo(command);
        return read(option, command.Parse(text is null ? [] : ["--cpu", text]));
    }
}
