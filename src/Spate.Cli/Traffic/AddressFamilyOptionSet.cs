using System.CommandLine;
using System.Net.Sockets;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;

namespace Spate.Cli.Traffic;

/// <summary>The options <c>-4</c> and <c>-6</c>, which restrict a command to one address family.</summary>
internal sealed class AddressFamilyOptionSet
{
    private readonly Option<bool> _ipv4 = OptionText.CreateFlag("-4", "Use IPv4 only.");
    private readonly Option<bool> _ipv6 = OptionText.CreateFlag("-6", "Use IPv6 only.");

    public void AddTo(Command command)
    {
        command.Add(_ipv4);
        command.Add(_ipv6);
    }

    /// <summary>The family asked for; null for either.</summary>
    public AddressFamily? Read(ParseResult parsed) => (parsed.GetValue(_ipv4), parsed.GetValue(_ipv6)) switch
    {
        (true, true) => throw CommandException.WrongUse("-4 and -6 contradict each other: give one of them, or none"),
        (true, false) => AddressFamily.InterNetwork,
        (false, true) => AddressFamily.InterNetworkV6,
        _ => null,
    };
}
