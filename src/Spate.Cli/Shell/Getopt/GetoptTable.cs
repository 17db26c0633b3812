namespace Spate.Cli.Shell.Getopt;

/// <summary>The options of a command that is a client or a server, with those that every command has.</summary>
/// <param name="command">The command that shows help, as <c>spate iperf3</c>, for messages.</param>
internal sealed class GetoptTable<TDraft>(
    string command, string roles, IReadOnlyList<GetoptRow<TDraft>> offered, IReadOnlyList<GetoptRow<TDraft>> others)
    where TDraft : GetoptOptions, new()
{
    private static readonly GetoptOption[] Common = [GetoptOption.Help, GetoptOption.Version, GetoptOption.NoColor];

    private readonly GetoptRow<TDraft>[] _rows = [.. offered, .. others, .. Common.Select(Asking)];

    public IReadOnlyList<GetoptOption> Offered { get; } = [.. offered.Select(static row => row.Syntax), .. Common];

    public GetoptLine Parse(IReadOnlyList<string> args) =>
        new GetoptSyntax(command, [.. _rows.Select(static row => row.Syntax)]).Parse(args);

    /// <summary>Puts the options of a line into a draft, which has one role then, and no option of the other.</summary>
    public TDraft Read(GetoptLine line)
    {
        if (line.Operands.Count > 0) throw Wrong($"unexpected argument '{line.Operands[0]}': expected options");

        var draft = new TDraft();
        foreach (GetoptChoice choice in line.Choices) RowOf(choice).Apply(draft, choice);
        if (draft.IsServer && draft.Host is not null) throw Wrong("-s and -c exclude each other: use one of them");
        if (!draft.IsServer && draft.Host is null) throw Wrong($"a role is missing: expected {roles}");

        foreach (GetoptChoice choice in line.Choices) CheckSide(choice, draft.IsServer);
        return draft;
    }

    public CommandException Wrong(string message) => GetoptSyntax.Wrong(message, command);

    private static GetoptRow<TDraft> Asking(GetoptOption option) => new(option, GetoptSide.Both, static (_, _) => { });

    private GetoptRow<TDraft> RowOf(GetoptChoice choice) => _rows.First(row => row.Syntax == choice.Option);

    private void CheckSide(GetoptChoice choice, bool isServer)
    {
        GetoptSide side = RowOf(choice).Side;
        if (side == GetoptSide.Client && isServer)
        {
            throw Wrong($"{choice.Spelling} is for the client: leave it out with -s");
        }

        if (side == GetoptSide.Server && !isServer)
        {
            throw Wrong($"{choice.Spelling} is for the server: leave it out with -c");
        }
    }
}

/// <summary>An option of a command that is a client or a server, and what it does.</summary>
/// <param name="Apply">Puts it into the draft, or throws what is wrong with it.</param>
internal sealed record GetoptRow<TDraft>(GetoptOption Syntax, GetoptSide Side, Action<TDraft, GetoptChoice> Apply)
    where TDraft : GetoptOptions
{
    /// <summary>An option that is refused in either role.</summary>
    /// <param name="reason">The end of the message: why it is refused, and what to do instead.</param>
    public static GetoptRow<TDraft> Refused(GetoptOption syntax, string reason) => new(
        syntax,
        GetoptSide.Both,
        (_, choice) => throw GetoptSyntax.Wrong($"{choice.Spelling} is not supported: {reason}", choice.Command));

    /// <summary>An option that does nothing, which is told.</summary>
    /// <param name="reason">The end of the message: why it does nothing.</param>
    public static GetoptRow<TDraft> Ignored(GetoptOption syntax, GetoptSide side, string reason) => new(
        syntax, side, (draft, choice) => draft.Notices.Add($"{choice.Spelling} has no effect: {reason}"));
}

/// <summary>The role that an option is for.</summary>
internal enum GetoptSide
{
    Both,

    Client,

    Server,
}

/// <summary>An option that a command line may have.</summary>
/// <param name="Name">The long name, without dashes; empty for none.</param>
/// <param name="Letter">The short name; <c>'\0'</c> for none.</param>
internal sealed record GetoptOption(string Name, char Letter, GetoptArgument Argument)
{
    public static GetoptOption Help { get; } = new("help", 'h', GetoptArgument.None);

    public static GetoptOption Version { get; } = new("version", 'v', GetoptArgument.None);

    /// <summary>The option that switches colours off. It is read before the others (<c>Streams</c>).</summary>
    public static GetoptOption NoColor { get; } = new("no-color", '\0', GetoptArgument.None) { IsExactOnly = true };

    public IReadOnlyList<string> Aliases { get; init; } = [];

    /// <summary>Whether the long name cannot be shortened, so that it makes no shortened name ambiguous.</summary>
    public bool IsExactOnly { get; init; }

    /// <summary>The values to choose from; empty if the value is free.</summary>
    public IReadOnlyList<string> Values { get; init; } = [];

    public IEnumerable<string> Names => Name.Length == 0 ? Aliases : [Name, .. Aliases];

    public IReadOnlyList<string> Spellings =>
        [.. Names.Select(static name => "--" + name), .. Letter == '\0' ? Array.Empty<string>() : [$"-{Letter}"]];
}

/// <summary>Whether an option of getopt_long(3) has a value.</summary>
internal enum GetoptArgument
{
    None,

    /// <summary>It has one only where that is attached: <c>--name=value</c>.</summary>
    Optional,

    /// <summary>It has one: attached, or the argument that follows.</summary>
    Required,
}

/// <summary>The options of a client or a server as given, before they are checked against each other.</summary>
internal abstract class GetoptOptions
{
    public bool IsServer { get; set; }

    /// <summary>The server that a client is to use, as it was written; null where none was.</summary>
    public string? Host { get; set; }

    public bool IsUdp { get; set; }

    public int Port { get; set; }

    /// <summary>The address to use here, as it was written; null where none was.</summary>
    public string? Bind { get; set; }

    public TimeSpan Interval { get; set; }

    public List<string> Notices { get; } = [];
}

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
            throw Wrong($"option '{spelling}' takes no value, but '{value}' is given", command);
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
