namespace Spate.Cli.Shell.Terminal;

/// <summary>The escape sequences that a terminal may be sent.</summary>
internal enum TerminalStyle
{
    /// <summary>Movements of the cursor, bold text and colours.</summary>
    Full,

    /// <summary>Movements of the cursor only: the user has set <c>NO_COLOR</c> (no-color.org).</summary>
    NoColor,

    /// <summary>None: <c>TERM=dumb</c> says that the terminal knows no escape sequence.</summary>
    Dumb,
}
