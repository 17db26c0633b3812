using System.CommandLine;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;

namespace Spate.Cli.Bench.Relay;

/// <summary><c>spate bench relay</c>: measures the CPU time of forwarding a fixed rate of datagrams.</summary>
internal static class BenchRelayCommand
{
    private const double MinSeconds = 2;
    private const int QuickRoundCount = 3;
    private const string GsoChoices = "on, off or both";

    public static Command Create(Streams streams)
    {
        var command = new Command(
            "relay", "Send on a fixed rate to one destination, in every way; compare the relays' CPU time.");
        var options = new BenchOptionSet(
            "CPUs of generator and sink, and of the relay, such as 0,1, or auto, which says why. Default: those of "
                + "auto.",
            "32",
            takesSizes: false,
            new BenchTimes(RelayOptions.DefaultBudget, RelayOptions.QuickBudget, MinSeconds),
            new ReportOptionSet(static () => BenchJson.Default.RelayReport));
        Option<string?> rate = OptionText.Create("--rate", "RATE", "Datagrams a second. Default: 100k.");
        Option<string?> gso = OptionText.Create(
            "--gso", "HOW", $"Whether the generator sends GSO messages: {GsoChoices}. Default: both.");
        command.Add(rate);
        command.Add(gso);
        options.AddTo(command);
        command.SetAction(parsed =>
        {
            (int? first, int? second) = options.Cpu.ReadPair(parsed, streams);
            string how = parsed.GetValue(gso) ?? "both";
            var settings = new RelayOptions
            {
                SizeBytes = options.ReadSize(parsed),
                DatagramsPerSecond = ReadRate(parsed, rate),
                WithGso = how is "on" or "both",
                WithoutGso = how is "off" or "both",
                Budget = options.ReadBudget(parsed),
                RoundCount = options.IsQuick(parsed) ? QuickRoundCount : new RelayOptions().RoundCount,
                GeneratorCpu = first,
                RelayCpu = second,
            };
            return settings.WithGso || settings.WithoutGso
                ? BenchRunner.Run(
                    options.ReadReport(parsed), streams, settings, RelayRun.Execute, RelayText.Write)
                : throw OptionText.Wrong(gso, how, GsoChoices);
        });
        ExampleHelp.AddTo(
            command,
            "spate bench relay",
            "spate bench relay --rate 50k --size 1200 --gso on",
            "spate bench relay --quick --json -",
            "spate bench relay --fail-if 'rows[*].lostPercent > 0'");
        return command;
    }

    private static double ReadRate(ParseResult parsed, Option<string?> option)
    {
        if (parsed.GetValue(option) is not { } text) return new RelayOptions().DatagramsPerSecond;

        bool isRate = Rate.TryParse(text, out Rate rate);
        return isRate && rate.DatagramsPerSecond is >= RelayOptions.MinRate and <= RelayOptions.MaxRate
            ? rate.DatagramsPerSecond.Value
            : throw OptionText.Wrong(option, text, "datagrams a second from 1k to 10m");
    }
}
