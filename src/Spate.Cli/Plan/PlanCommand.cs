using System.CommandLine;
using System.Globalization;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.HostTuning.Reading;
using Spate.Measurement.Reports;

namespace Spate.Cli.Plan;

/// <summary><c>spate plan</c>: how many machines a load needs, how large a buffer, and what it costs.</summary>
internal static class PlanCommand
{
    private const double MaxCost = 1e12;

    // Long enough for three rounds, which have a median.
    private static readonly TimeSpan MeasuringTime = TimeSpan.FromSeconds(5);

    public static Command Create(Streams streams, ReportReader reader, Func<int, TimeSpan, Report> measure)
    {
        var command = new Command(
            "plan", "Plan machines, CPU share, buffer and cost for a load, from a report or a short measurement.");
        var file = new Argument<string?>("FILE")
        {
            Description = "A report (--json) of receive, serve, test, bench or bench drain. Default: a "
                + "5 s measurement of this machine over the loopback.",
            Arity = ArgumentArity.ZeroOrOne,
        };
        Option<string?> perDay = OptionText.Create("--per-day", "N", "Datagrams per day, such as 45m. Required.");
        Option<string?> peak = OptionText.Create(
            "--peak", "N", "Datagrams in the busiest second. Default: twice the average.");
        Option<string?> size = OptionText.Create(
            "--size", "BYTES", $"Payload bytes per datagram. Default: {PlanOptions.DefaultSizeBytes}.");
        Option<string?> stall = OptionText.Create(
            "--stall", "TIME", "The longest pause of the reader without loss, such as 200ms or 2s. Default: 200ms.");
        Option<string?> cost = OptionText.Create(
            "--cost-per-month", "PRICE", "Cost of a machine per month, such as 15.73, in any currency.");
        Option<string?> load = OptionText.Create(
            "--max-load",
            "PERCENT",
            "Maximum load of a machine at the peak, in percent of its capacity. Default: "
            + $"{PlanOptions.DefaultMaxLoadPercent:0}.");
        var report = new ReportOptionSet(static () => PlanJson.Default.PlanReport);
        command.Add(file);
        foreach (Option option in (Option[])[perDay, peak, size, stall, cost, load]) command.Add(option);
        report.AddTo(command);
        command.SetAction(parsed =>
        {
            var options = new PlanOptions
            {
                PerDay = UnitText.ReadCount(parsed, perDay, 1, PlanOptions.MaxPerDay)
                    ?? throw CommandException.WrongUse("--per-day is missing: expected datagrams per day such as 45m"),
                PeakPerSecond = UnitText.ReadCount(parsed, peak, 1, PlanOptions.MaxPerDay),
                SizeBytes = (int)(UnitText.ReadBytes(parsed, size, PlanOptions.MinSizeBytes, PlanOptions.MaxSizeBytes)
                    ?? PlanOptions.DefaultSizeBytes),
                Stall = SecondsText.Read(parsed, stall, 0, takesZero: true) ?? PlanOptions.DefaultStall,
                ReceiveMaximumBytes = BufferLimits.Read().ReceiveMaximumBytes,
                CostPerMonth = ReadNumber(parsed, cost, 0, MaxCost, "15.73"),
                MaxLoadPercent = ReadNumber(parsed, load, 1, 100, "50") ?? PlanOptions.DefaultMaxLoadPercent,
            };
            RequirePeak(options);
            ReportOptions request = report.Read(parsed);
            using var output = ReportOutput.Open(request, streams);
            string? path = parsed.GetValue(file);
            Report measured = path is null ? Measure(measure, options.SizeBytes) : ReportFiles.Read(path, reader);
            if (!PlanBasisReader.TryRead(measured, options.SizeBytes, out MeasuredCapacity? basis, out string? error))
            {
                throw path is null
                    ? CommandException.Refused($"the measurement cannot be used for planning: {error}", DocsAnchor.None)
                    : CommandException.WrongUse($"'{path}' cannot be used for planning: {error}");
            }

            PlanReport plan = CapacityPlan.Make(options, basis);
            if (plan.Interrupted) streams.Notice("interrupted: the plan uses the completed rounds");

            if (!output.TakesStandardOutput) PlanText.Write(plan, streams.OutputPage);
            return output.Finish(plan);
        });
        ExampleHelp.AddTo(
            command,
            "spate plan --per-day 45m",
            "spate plan --per-day 45m --peak 1000 --size 200 --stall 200ms --cost-per-month 15.73",
            "spate plan --per-day 2g serve.json",
            "spate plan --per-day 45m serve.json --fail-if 'machines > 2'");
        return command;
    }

    private static void RequirePeak(PlanOptions options)
    {
        double average = options.PerDay / TimeSpan.FromDays(1).TotalSeconds;
        if (options.PeakPerSecond < average)
        {
            throw CommandException.WrongUse(
                $"--peak {options.PeakPerSecond:0} is below the average of {Units.PerSecond(average)} per second");
        }
    }

    private static Report Measure(Func<int, TimeSpan, Report> measure, int sizeBytes)
    {
        try
        {
            return measure(sizeBytes, MeasuringTime);
        }
        catch (OperationCanceledException fault)
        {
            throw CommandException.Refused(
                "interrupted before the first measurement: nothing to plan with", DocsAnchor.None, fault);
        }
    }

    private static double? ReadNumber(
        ParseResult parsed, Option<string?> option, double min, double max, string example)
    {
        if (parsed.GetValue(option) is not { } text) return null;

        bool isNumber = double.TryParse(
            text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double number);
        return isNumber && number >= min && number <= max
            ? number
            : throw OptionText.Wrong(option, text, string.Create(
                CultureInfo.InvariantCulture, $"a number from {min} to {max:0} such as {example}"));
    }
}

/// <summary>The load that a plan is made for.</summary>
internal sealed record PlanOptions
{
    /// <summary>The largest number of datagrams a day: more than all machines of the world receive.</summary>
    public const long MaxPerDay = 1_000_000_000_000_000_000;

    public const double DefaultMaxLoadPercent = 50;

    public const double DefaultPeakTimes = 2;

    public const int DefaultSizeBytes = 200;

    /// <summary>The smallest size that is planned for, in bytes: the smallest that benches measure.</summary>
    public const int MinSizeBytes = 8;

    /// <summary>The largest size: 65535 less the IPv4 and UDP headers (RFC 768, RFC 791).</summary>
    public const int MaxSizeBytes = 65507;

    public static readonly TimeSpan DefaultStall = TimeSpan.FromMilliseconds(200);

    public required long PerDay { get; init; }

    /// <summary>Datagrams in the busiest second; null (the default) for twice the average.</summary>
    public double? PeakPerSecond { get; init; }

    public int SizeBytes { get; init; } = DefaultSizeBytes;

    /// <summary>The longest pause of the reader in which nothing may be lost.</summary>
    public TimeSpan Stall { get; init; } = DefaultStall;

    /// <summary>The largest receive buffer of this host in bytes (<c>net.core.rmem_max</c>); null if unknown.</summary>
    public long? ReceiveMaximumBytes { get; init; }

    /// <summary>What a machine costs a month, in any currency; null (the default) for no costs in the plan.</summary>
    public double? CostPerMonth { get; init; }

    /// <summary>How much of what a machine was measured to receive it may get at the peak, in percent.</summary>
    public double MaxLoadPercent { get; init; } = DefaultMaxLoadPercent;
}
