namespace Spate.Cli.Shell.Getopt;

/// <summary>
/// Reads a command line as getopt_long(3) does: attached values (<c>-l8972</c>), bundles (<c>-uR</c>), long names that
/// are shortened (<c>--par=2</c>), and operands between the options.
/// System.CommandLine reads neither bundles that end with a value nor shortened names.
/// </summary>
/// <param name="command">The command that shows help, as <c>spate iperf3</c>, for messages.</param>
internal sealed class GetoptSyntax(string command, IReadOnlyList<GetoptOption> options)
{
    public static CommandException Wrong(string message, string command) =>
        CommandException.WrongUse($"{message} (see {command} --help)");

    public GetoptLine Parse(IReadOnlyList<string> args)
    {
        var choices = new List<GetoptChoice>();
        var operands = new List<string>();
        for (int next = 0; next < args.Count;)
        {
            string word = args[next++];
            if (word.Equals("--", StringComparison.Ordinal))
            {
                operands.AddRange(args.Skip(next));
                break;
            }

            if (word.StartsWith("--", StringComparison.Ordinal)) choices.Add(ReadLong(word[2..], args, ref next));
            else if (word.Length > 1 && word[0] == '-') ReadBundle(word, args, ref next, choices);
            else operands.Add(word);
        }

        return new GetoptLine(choices, operands);
    }

    private GetoptChoice ReadLong(string word, IReadOnlyList<string> args, ref int next)
    {
        int equals = word.IndexOf('=', StringComparison.Ordinal);
        string name = equals < 0 ? word : word[..equals];
        string? value = equals < 0 ? null : word[(equals + 1)..];
        GetoptOption option = Find(name, out string spelling);
        if (option.Argument == GetoptArgument.None && value is not null)
        {
            throw Wrong($"option '{spelling}' has no value, and '{value}' is given for one", command);
        }

        if (option.Argument == GetoptArgument.Required) value ??= Next(spelling, args, ref next);

        return new GetoptChoice(option, spelling, value, command);
    }

    private void ReadBundle(string word, IReadOnlyList<string> args, ref int next, List<GetoptChoice> choices)
    {
        for (int i = 1; i < word.Length; i++)
        {
            char letter = word[i];
            GetoptOption? option = options.FirstOrDefault(option => option.Letter == letter && letter != '\0');
            if (option is null)
            {
                string where = word.Length > 2 ? $" in '{word}'" : "";
                throw Wrong($"unrecognized option '-{letter}'{where}", command);
            }

            string spelling = $"-{letter}";
            if (option.Argument == GetoptArgument.None)
            {
                choices.Add(new GetoptChoice(option, spelling, Value: null, command));
                continue;
            }

            string? value = i + 1 < word.Length ? word[(i + 1)..] : null;
            if (option.Argument == GetoptArgument.Required) value ??= Next(spelling, args, ref next);

            choices.Add(new GetoptChoice(option, spelling, value, command));
            return;
        }
    }

    private string Next(string spelling, IReadOnlyList<string> args, ref int next) => next < args.Count
        ? args[next++]
        : throw Wrong($"option '{spelling}' needs a value", command);

    private GetoptOption Find(string name, out string spelling)
    {
        spelling = $"--{name}";
        if (options.FirstOrDefault(option => option.Names.Contains(name, StringComparer.Ordinal)) is { } exact)
        {
            return exact;
        }

        (string Name, GetoptOption Option)[] found = [.. options
            .Where(static option => !option.IsExactOnly)
            .SelectMany(static option => option.Names.Select(one => (one, option)))
            .Where(one => name.Length > 0 && one.one.StartsWith(name, StringComparison.Ordinal))];
        if (found.Length == 0) throw Wrong($"unrecognized option '--{name}'", command);

        if (found.Select(static one => one.Option).Distinct().Count() > 1)
        {
            string candidates = string.Join(", ", found.Select(static one => "--" + one.Name));
            throw Wrong($"option '--{name}' is ambiguous: it may be any of {candidates}", command);
        }

        spelling = $"--{found[0].Name}";
        return found[0].Option;
    }
}
