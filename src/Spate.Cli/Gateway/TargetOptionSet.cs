using System.CommandLine;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Options;
using Spate.Gateway;

namespace Spate.Cli.Gateway;

/// <summary>The options that name a broker and say who is asking: those of a gateway and of its reader.</summary>
/// <param name="name">The option with the broker: <c>--to</c> or <c>--from</c>.</param>
/// <param name="takesNull">Whether <c>null:</c> is a target.</param>
internal sealed class TargetOptionSet(string name, bool takesNull)
{
    private readonly Option<string?> _target = OptionText.Create(
        name,
        "TARGET",
        "The nodes of a RabbitMQ cluster: amqp://HOST[:PORT][,HOST2...]/VHOST, amqps:// for TLS"
            + (takesNull ? "; null: drops everything, for measuring." : ".")
            + " Required. It must not contain a user or password.");

    private readonly Option<string?> _user = OptionText.Create(
        "--user", "NAME", "The broker's user. Default: guest.");

    private readonly Option<string?> _passwordFile = OptionText.Create(
        "--password-file",
        "FILE",
        $"A file with the password. Default: the password in {GatewayCredentials.PasswordVariable}, "
            + "or guest for a broker on the loopback.");

    private readonly Option<string?> _authority = OptionText.Create(
        "--ca", "FILE", "amqps: CA certificates (PEM) in place of the system's. The host name is always verified.");

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[_target, _user, _passwordFile, _authority]) command.Add(option);
    }

    public BrokerChoice Read(ParseResult parsed)
    {
        string text = parsed.GetValue(_target) ?? throw CommandException.WrongUse(
            $"{name} is missing: expected amqp://HOST[:PORT][,HOST2...]/VHOST{(takesNull ? " or null:" : "")}");
        if (!GatewayTarget.TryParse(text, out GatewayTarget? target, out string? error))
        {
            throw CommandException.WrongUse($"{name}: {error}");
        }

        if (target.IsDiscard && !takesNull)
        {
            throw CommandException.WrongUse($"{name} null: has nothing to read: expected amqp://HOST/VHOST");
        }

        string? authority = parsed.GetValue(_authority);
        if (authority is not null && !target.UsesTls)
        {
            throw CommandException.WrongUse(
                $"--ca has no effect without TLS: write amqps:// in {name}, or leave --ca out");
        }

        if (target.IsDiscard) RefuseCredentials(parsed);
        if (parsed.GetValue(_user) is "") throw CommandException.WrongUse("--user is empty: expected a name");

        // The file is read now, so that a wrong one is told before anything is opened. Messages name no password.
        return new BrokerChoice(
            target,
            GatewayCredentials.Read(target, parsed.GetValue(_user), parsed.GetValue(_passwordFile)),
            authority);
    }

    private void RefuseCredentials(ParseResult parsed)
    {
        foreach (Option<string?> option in (Option<string?>[])[_user, _passwordFile])
        {
            if (parsed.GetValue(option) is null) continue;
            throw CommandException.WrongUse(
                $"{option.Name} has no effect with {name} null:, which has no broker: leave it out");
        }
    }
}

/// <summary>A broker as the command line names it.</summary>
/// <param name="Credentials">Who is asking; null where nobody needs to be asked.</param>
/// <param name="AuthorityFile">The file of certificates to trust; null for the system's.</param>
internal sealed record BrokerChoice(GatewayTarget Target, GatewayCredentials? Credentials, string? AuthorityFile);
