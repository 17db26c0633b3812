namespace Spate.Cli.Shell.Getopt;

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
        (_, choice) => throw GetoptSyntax.Wrong($"{choice.Spelling} is not offered: {reason}", choice.Command));

    /// <summary>An option that does nothing, which is told.</summary>
    /// <param name="reason">The end of the message: why it does nothing.</param>
    public static GetoptRow<TDraft> Ignored(GetoptOption syntax, GetoptSide side, string reason) => new(
        syntax, side, (draft, choice) => draft.Notices.Add($"{choice.Spelling} does nothing here: {reason}"));
}

/// <summary>The role that an option is for.</summary>
internal enum GetoptSide
{
    Both,

    Client,

    Server,
}
