using System.CommandLine;
using System.Globalization;
using Spate.Cli.Options;
using Spate.Cli.Output;
using Spate.Measurement;
using Spate.Measurement.Bench.Sockets;

namespace Spate.Cli.Commands;

/// <summary><c>spate bench sockets</c>: what one datagram costs when many sockets have some.</summary>
internal static class BenchSocketsCommand
{
    private const int ListLengthMax = 16;
    private static readonly TimeSpan _quickBudget = TimeSpan.FromSeconds(6);

    public static Command Create(Streams streams)
    {
        var command = new Command(
            "sockets", "Queue datagrams in many sockets, then time one thread that receives them all.");
        var options = new BenchOptionSet("N", "CPU of the one thread. Default: the second.", "64");
        options.AddTo(command);
        Option<string?> counts = OptionText.Create(
            "--count", "LIST", "Numbers of sockets: 1,100,10000 (the default).");
        Option<string?> queued = OptionText.Create(
            "--queued", "LIST", "Datagrams queued in each socket: 1,10 (the default).");
        command.Add(counts);
        command.Add(queued);
        command.SetAction(parsed =>
        {
            var defaults = new SocketsOptions();
            IReadOnlyList<int> cpus = options.ReadCpus(parsed, count: 1);
            var settings = new SocketsOptions
            {
                SocketCounts = ReadList(parsed, counts, SocketsOptions.MaxSocketCount) ?? defaults.SocketCounts,
                QueuedCounts = ReadList(parsed, queued, SocketsOptions.MaxQueuedCount) ?? defaults.QueuedCounts,
                SizeBytes = options.ReadSizes(parsed) is [int size]
                    ? size
                    : throw CommandException.WrongUse("--size takes one size here, such as 64"),
                Budget = options.ReadBudget(parsed, defaults.Budget, _quickBudget),
                Cpu = cpus.Count == 0 ? null : cpus[0],
            };
            return Run(settings, parsed.GetValue(options.Json), streams);
        });
        ExampleHelp.AddTo(
            command,
            "spate bench sockets",
            "spate bench sockets --count 10000 --queued 1,10,64",
            "spate bench sockets --quick --json -");
        return command;
    }

    private static int[]? ReadList(ParseResult parsed, Option<string?> option, int most)
    {
        if (parsed.GetValue(option) is not { } text)
        {
            return null;
        }

        string[] parts = text.Split(',');
        int[] numbers = new int[parts.Length];
        for (int i = 0; i < parts.Length; i++)
        {
            bool isNumber = int.TryParse(
                parts[i], NumberStyles.None, CultureInfo.InvariantCulture, out numbers[i]);
            if (!isNumber || numbers[i] < 1 || numbers[i] > most)
            {
                throw OptionText.Wrong(option, text, $"whole numbers from 1 to {most} such as 1,10");
            }
        }

        return parts.Length <= ListLengthMax && numbers.Distinct().Count() == numbers.Length
            ? numbers
            : throw OptionText.Wrong(option, text, $"each number once, at most {ListLengthMax} of them");
    }

    private static int Run(SocketsOptions settings, string? jsonPath, Streams streams) => BenchRunner.Run(
        jsonPath,
        streams,
        (progress, stop) => SocketsRun.Execute(settings, progress, stop),
        static result => result.Skipped,
        BenchReports.Of,
        BenchText.Write);
}
