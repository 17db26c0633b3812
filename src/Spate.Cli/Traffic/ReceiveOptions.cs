using System.CommandLine;
using System.Net;
using Spate.Cli.Options;

namespace Spate.Cli.Traffic;

/// <summary>The options of <c>spate receive</c>.</summary>
internal sealed class ReceiveOptions
{
    private readonly Argument<string?> _local = new("local")
    {
        HelpName = "ADDRESS:PORT",
        Description = "Where to listen, IPv6 as [ADDRESS]:PORT; a multicast group is joined. Default: 0.0.0.0:9999, "
            + "with -6 [::]:9999.",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly TrafficOptions _traffic = new("received", useless: "--no-gso");

    public void AddTo(Command command)
    {
        command.Add(_local);
        _traffic.AddTo(command);
    }

    public ReceiveSettings Read(ParseResult parsed)
    {
        string? text = parsed.GetValue(_local);
        TrafficSettings traffic = _traffic.Read(parsed);
        IPEndPoint local = EndPointText.ParseLocal(text, traffic.Family);
        return traffic.FlowCount == 1 || !UdpEndPoint.FromIPEndPoint(local).IsMulticast
            ? new ReceiveSettings(traffic, local)
            : throw CommandException.WrongUse(
                $"--flows {traffic.FlowCount} cannot share the group {local.Address}, since each socket would get all "
                + "of it: leave --flows out");
    }
}

/// <summary>The request to <c>spate receive</c>, checked, with all names resolved.</summary>
internal sealed record ReceiveSettings(TrafficSettings Traffic, IPEndPoint Local);
