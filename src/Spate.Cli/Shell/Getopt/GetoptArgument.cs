namespace Spate.Cli.Shell.Getopt;

/// <summary>Whether an option of getopt_long(3) has a value.</summary>
internal enum GetoptArgument
{
    /// <summary>It has none.</summary>
    None,

    /// <summary>It has one only where that is attached: <c>--name=value</c>.</summary>
    Optional,

    /// <summary>It has one: attached, or the argument that follows.</summary>
    Required,
}
