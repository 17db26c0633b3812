namespace Spate.Cli.Terminal;

/// <summary>What a terminal may be sent besides text.</summary>
internal enum TerminalStyle
{
    /// <summary>Movements of the cursor, bold text and colours.</summary>
    Full,

    /// <summary>Movements of the cursor only: the user has set <c>NO_COLOR</c> (no-color.org).</summary>
    NoColor,

    /// <summary>Nothing: <c>TERM=dumb</c> says that the terminal knows no escape sequence.</summary>
    Dumb,
}
