using System.CommandLine;
using System.Text.Json.Serialization;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Traffic;
using Spate.Gateway;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Gateway;

/// <summary><c>spate gateway</c>: takes datagrams in and commits them to a stream or queue of RabbitMQ.</summary>
internal static class GatewayCommand
{
    public static Command Create(Streams streams)
    {
        var command = new Command(
            "gateway", "Commit datagrams to a stream or queue of RabbitMQ, and account for each of them.");
        var options = new GatewayOptionSet();
        options.AddTo(command);
        command.Add(GatewayReadCommand.Create(streams));
        command.SetAction(parsed => Run(options.Read(parsed), streams));
        ExampleHelp.AddTo(
            command,
            "spate gateway --to amqp://localhost --stream logs --declare",
            "spate gateway 0.0.0.0:514 [::]:514 --to amqps://mq1,mq2,mq3/site --ca ca.pem --stream syslog "
                + "--user gw --password-file pw",
            "spate gateway --to null: --seconds 10 --json -",
            "spate gateway read --from amqp://localhost --stream logs --verify");
        return command;
    }

    /// <summary>What a check of options says, without the name of the parameter that the runtime appends.</summary>
    internal static CommandException WrongUse(ArgumentException fault)
    {
        int end = fault.Message.IndexOf(" (Parameter '", StringComparison.Ordinal);
        return CommandException.WrongUse(end < 0 ? fault.Message : fault.Message[..end]);
    }

    private static int Run(GatewayCommandOptions settings, Streams streams)
    {
        using var output = ReportOutput.Open(settings.Report, streams);
        using var stop = new StopSignal(streams);
        var notices = new ConnectionNotices(streams);
        GatewayRunOptions options = settings.Run with
        {
            Gateway = settings.Run.Gateway with
            {
                OnConnection = notices.Tell,
                OnFault = fault => streams.Warn(
                    $"a thread failed: {fault.Exception.Message}", DocsAnchor.HandlerFaults),
            },
        };
        using GatewayRun run = Start(options, streams, stop.Token);
        notices.Begin();
        UdpGateway gateway = run.Gateway;
        streams.Notice($"receiving at {string.Join(' ', gateway.LocalEndPoints)} as '{options.Gateway.Id}', "
            + $"{WhatOf(options.Gateway)}, {gateway.GetStatistics().Pipelines.Count} thread(s), "
            + $"backend {BackendText.NameOf(gateway.Backend)}{(gateway.CoalescedReceive ? " with GRO" : "")}, "
            + $"buffer {Units.Bytes(gateway.ReceiveBufferBytes)}");
        TrafficSetup.TellBuffer(
            options.Gateway.Socket.ReceiveBufferBytes ?? 0, gateway.ReceiveBufferBytes, "net.core.rmem_max", streams);
        if (options.Gateway.Target is { IsDiscard: false, UsesTls: false, IsLoopback: false })
        {
            streams.Notice("the connection is not encrypted: user, password and datagrams are readable on the path; "
                + "amqps:// encrypts them");
        }

        var text = new GatewayText(streams.PageBeside(output), settings.IsVerbose);
        GatewayReport report = run.Run(text.WriteInterval, stop.Token);
        text.WriteSummary(report);
        return output.Finish(report);
    }

    private static GatewayRun Start(GatewayRunOptions options, Streams streams, CancellationToken stop)
    {
        try
        {
            GatewayTarget target = options.Gateway.Target;
            return GatewayRun.Start(
                options, target.IsDiscard ? null : () => streams.Notice($"connecting to {target}"), stop);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            throw CommandException.Refused("stopped by a signal before a broker was reached", DocsAnchor.None);
        }
        catch (ArgumentException fault)
        {
            // Options that contradict each other, such as a memory that is too small for its threads.
            throw WrongUse(fault);
        }
    }

    private static string WhatOf(UdpGatewayOptions options)
    {
        if (options.Target.IsDiscard) return "dropping everything";

        string kind = options.QueueKind == GatewayQueueKind.Stream ? "stream" : "queue";
        return options.PartitionCount == 1
            ? $"committing to {kind} '{options.QueueName}'"
            : $"committing to {options.PartitionCount} {kind}s '{options.QueueName}-0' and following";
    }
}

/// <summary>What a <see cref="GatewayRun"/> does.</summary>
internal sealed record GatewayRunOptions
{
    public required UdpGatewayOptions Gateway { get; init; }

    /// <summary>How long to commit what was accepted, when the run ends; default 5 s.</summary>
    public TimeSpan Drain { get; init; } = TimeSpan.FromSeconds(5);

    public TimeSpan? Duration { get; init; }

    /// <summary>Time between two interval reports; zero for none.</summary>
    public TimeSpan Interval { get; init; } = IntervalReport.DefaultInterval;
}

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(GatewayReport))]
[JsonSerializable(typeof(GatewayReadReport))]
internal sealed partial class GatewayJson : JsonSerializerContext;
