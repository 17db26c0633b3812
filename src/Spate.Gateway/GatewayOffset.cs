namespace Spate.Gateway;

/// <summary>Where in a stream a <see cref="GatewayReader"/> begins.</summary>
public readonly record struct GatewayOffset
{
    private readonly ulong? _number;

    private GatewayOffset(bool isNext, ulong? number) => (IsNext, _number) = (isNext, number);

    /// <summary>With the first message that the stream still has. This is the default.</summary>
    public static GatewayOffset First => default;

    /// <summary>With the first message that is published from now on.</summary>
    public static GatewayOffset Next => new(isNext: true, null);

    /// <summary>Whether this is <see cref="Next"/>.</summary>
    public bool IsNext { get; }

    /// <summary>The number of the message to begin with; null for <see cref="First"/> and <see cref="Next"/>.</summary>
    public ulong? Number => _number;

    /// <summary>
    /// With the message of a number, or the first one after it: offsets leave numbers out. Where the stream no longer
    /// has it, with the first message that the stream has.
    /// </summary>
    /// <param name="number">The number, at most 2^63 - 1.</param>
    /// <exception cref="ArgumentOutOfRangeException">The number is larger.</exception>
    public static GatewayOffset At(ulong number)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(number, (ulong)long.MaxValue);
        return new GatewayOffset(isNext: false, number);
    }

    /// <summary>The value of the argument <c>x-stream-offset</c> of a consumer.</summary>
    internal object ToArgument() => IsNext ? "next" : _number is { } number ? (long)number : "first";
}
