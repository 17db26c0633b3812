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
        if (line.Operands.Count > 0) throw Wrong($"'{line.Operands[0]}' is one argument too many: expected options");

        var draft = new TDraft();
        foreach (GetoptChoice choice in line.Choices) RowOf(choice).Apply(draft, choice);
        if (draft.IsServer && draft.Host is not null) throw Wrong("-s and -c contradict each other: give one of them");
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
