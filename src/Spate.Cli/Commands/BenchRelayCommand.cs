using System.CommandLine;
using Spate.Cli.Options;
using Spate.Cli.Output;
using Spate.Measurement;
using Spate.Measurement.Bench.Relay;

namespace Spate.Cli.Commands;

/// <summary><c>spate bench relay</c>: the CPU time that sending on a fixed rate costs.</summary>
internal static class BenchRelayCommand
{
    private const double ShortestSeconds = 2;
    private const int QuickRoundCount = 3;
    private const string TrainChoices = "on, off or both";

    public static Command Create(Streams streams)
    {
        var command = new Command(
            "relay", "Send on a fixed rate to one destination, in every way; compare the relays' CPU time.");
        var options = new BenchPairOptionSet(
            32, "A,B", "CPUs of generator and sink, and of the relay. Default: the first two.");
        Option<string?> rate = OptionText.Create("--rate", "RATE", "Datagrams a second. Default: 100k.");
        Option<string?> seconds = OptionText.Create("--seconds", "S", "Time for everything. Default: 40.");
        Option<string?> trains = OptionText.Create(
            "--trains", "HOW", $"Whether the generator sends trains: {TrainChoices} (the default).");
        options.AddTo(command);
        command.Add(rate);
        command.Add(seconds);
        command.Add(trains);
        command.SetAction(parsed =>
        {
            (int? generator, int? relay) = options.ReadCpus(parsed);
            bool isQuick = parsed.GetValue(options.Quick);
            TimeSpan? named = OptionText.ReadSeconds(parsed, seconds, ShortestSeconds);
            if (isQuick && named is not null)
            {
                throw CommandException.WrongUse("--quick and --seconds contradict each other: give one of them");
            }

            string how = parsed.GetValue(trains) ?? "both";
            var settings = new RelayOptions
            {
                SizeBytes = options.ReadSize(parsed),
                DatagramsPerSecond = ReadRate(parsed, rate),
                WithTrains = how is "on" or "both",
                WithoutTrains = how is "off" or "both",
                Budget = named ?? (isQuick ? RelayOptions.QuickBudget : RelayOptions.DefaultBudget),
                RoundCount = isQuick ? QuickRoundCount : new RelayOptions().RoundCount,
                GeneratorCpu = generator,
                RelayCpu = relay,
            };
            return settings.WithTrains || settings.WithoutTrains
                ? Run(settings, parsed.GetValue(options.Json), streams)
                : throw OptionText.Wrong(trains, how, TrainChoices);
        });
        ExampleHelp.AddTo(
            command,
            "spate bench relay",
            "spate bench relay --rate 50k --size 1200 --trains on",
            "spate bench relay --quick --json -");
        return command;
    }

    private static double ReadRate(ParseResult parsed, Option<string?> option)
    {
        if (parsed.GetValue(option) is not { } text)
        {
            return new RelayOptions().DatagramsPerSecond;
        }

        bool isRate = Rate.TryParse(text, out Rate rate);
        return isRate && rate.DatagramsPerSecond is >= RelayOptions.RateLeast and <= RelayOptions.RateMost
            ? rate.DatagramsPerSecond.Value
            : throw OptionText.Wrong(option, text, "datagrams a second from 1k to 10m");
    }

    private static int Run(RelayOptions settings, string? jsonPath, Streams streams) => BenchRunner.Run(
        jsonPath,
        streams,
        (progress, stop) => RelayRun.Execute(settings, progress, stop),
        static result => result.Skipped,
        RelayReports.Of,
        RelayText.Write);
}
