namespace Spate.Cli.Shell.Getopt;

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
