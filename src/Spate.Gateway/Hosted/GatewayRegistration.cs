namespace Spate.Gateway.Hosted;

/// <summary>Says that there is a gateway of this name.</summary>
internal sealed record GatewayRegistration
{
    private const int MaxNameChars = 64;

    public GatewayRegistration(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (name.Length is 0 or > MaxNameChars || !name.All(IsAllowed))
        {
            throw new ArgumentException(
                $"The name of a gateway has 1 to {MaxNameChars} letters, digits, hyphens, underscores and dots.",
                nameof(name));
        }

        Name = name;
    }

    public string Name { get; }

    private static bool IsAllowed(char character) =>
        char.IsAsciiLetterOrDigit(character) || character is '-' or '_' or '.';
}
