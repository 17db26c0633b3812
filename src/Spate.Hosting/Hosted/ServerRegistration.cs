namespace Spate.Hosting.Hosted;

/// <summary>Says that there is a server of this name.</summary>
internal sealed class ServerRegistration
{
    private const int MaxNameChars = 64;

    public ServerRegistration(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (name.Length is 0 or > MaxNameChars || !name.All(IsAllowed))
        {
            throw new ArgumentException(
                $"The name of a UDP server has 1 to {MaxNameChars} letters, digits, hyphens, underscores and dots.",
                nameof(name));
        }

        Name = name;
    }

    public string Name { get; }

    /// <summary>Names that differ in case only would share their section and the name of their health check.</summary>
    public bool IsOf(string name) => string.Equals(Name, name, StringComparison.OrdinalIgnoreCase);

    // A colon would name another section of the configuration.
    private static bool IsAllowed(char character) =>
        char.IsAsciiLetterOrDigit(character) || character is '-' or '_' or '.';
}
