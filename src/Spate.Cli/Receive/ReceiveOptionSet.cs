using System.CommandLine;
using System.Net;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Cli.Traffic;
using Spate.Measurement.Counting;
using Spate.Measurement.Traffic;

namespace Spate.Cli.Receive;

/// <summary>The options of <c>spate receive</c>.</summary>
internal sealed class ReceiveOptionSet
{
    private readonly Argument<string?> _local = new("local")
    {
        HelpName = "ADDRESS:PORT",
        Description = "Where to listen, IPv6 as [ADDRESS]:PORT; a multicast group is joined. Default: 0.0.0.0:9999, "
            + "with -6 [::]:9999.",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly Option<bool> _noAccounting = OptionText.CreateFlag(
        "--no-accounting", "Only look at each datagram's peer, length and first byte: nothing is told of loss.");

    private readonly AccountingOptionSet _accounting = new();
    private readonly TrafficOptionSet _traffic = new(
        "received", new ReportOptionSet(static () => TrafficJson.Default.TrafficReport), useless: "--no-gso");

    public void AddTo(Command command)
    {
        command.Add(_local);
        _accounting.AddTo(command);
        command.Add(_noAccounting);
        _traffic.AddTo(command);
    }

    public ReceiveRunOptions Read(ParseResult parsed)
    {
        string? text = parsed.GetValue(_local);
        TrafficRunOptions traffic = _traffic.Read(parsed);
        IPEndPoint local = EndPointText.ParseLocal(text, traffic.Family);
        return traffic.FlowCount == 1 || !UdpAddress.FromIPAddress(local.Address).IsMulticast
            ? new ReceiveRunOptions(traffic, local, ReadAccounting(parsed))
            : throw CommandException.WrongUse(
                $"--flows {traffic.FlowCount} cannot share the group {local.Address}, since each socket would get all "
                + "of it: leave --flows out");
    }

    private AccountingOptions? ReadAccounting(ParseResult parsed)
    {
        AccountingOptions accounting = _accounting.Read(parsed);
        if (!parsed.GetValue(_noAccounting)) return accounting;
        return accounting == new AccountingOptions()
            ? null
            : throw CommandException.WrongUse(
                "--no-accounting counts nothing that --deadline or --verify could tell: leave it out, or those");
    }
}

/// <summary>The request to <c>spate receive</c>, checked. Null accounting: test data is not counted.</summary>
internal sealed record ReceiveRunOptions(TrafficRunOptions Traffic, IPEndPoint Local, AccountingOptions? Accounting);
