using System.CommandLine;

namespace Spate.Cli.Options;

/// <summary>The options of <c>spate receive</c>.</summary>
internal sealed class ReceiveOptions
{
    private readonly Argument<string?> _local = new("local")
    {
        HelpName = "ADDRESS:PORT",
        Description = "Where to listen, IPv6 as [ADDRESS]:PORT. Default: 0.0.0.0:9999, with -6 [::]:9999.",
        Arity = ArgumentArity.ZeroOrOne,
    };

    private readonly TrafficOptions _traffic = new("received");

    public void AddTo(Command command)
    {
        command.Add(_local);
        _traffic.AddTo(command);
    }

    public ReceiveSettings Read(ParseResult parsed)
    {
        string? text = parsed.GetValue(_local);
        if (text?.StartsWith('-') == true)
        {
            throw CommandException.WrongUse(
                ParseErrors.UnknownOption(text, "spate receive") + " (see spate receive --help)");
        }

        TrafficSettings traffic = _traffic.Read(parsed);
        return new ReceiveSettings(traffic, EndPointText.ParseLocal(text, traffic.Family));
    }
}
