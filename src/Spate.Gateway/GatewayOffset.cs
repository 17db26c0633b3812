namespace Spate.Gateway;

/// <summary>Where in a stream a <see cref="GatewayReader"/> begins.</summary>
public readonly record struct GatewayOffset
{
    private readonly long? _number;

    private GatewayOffset(bool isNext, long? number) => (IsNext, _number) = (isNext, number);

    /// <summary>With the first message that the stream still has. This is the default.</summary>
    public static GatewayOffset First => default;

    /// <summary>With the first message that is published from now on.</summary>
    public static GatewayOffset Next => new(isNext: true, null);

    /// <summary>Whether this is <see cref="Next"/>.</summary>
    public bool IsNext { get; }

    /// <summary>The number of the message to begin with; null for <see cref="First"/> and <see cref="Next"/>.</summary>
    public long? Number => _number;

    /// <summary>
    /// With the message of a number, or the first one after it: offsets leave numbers out. Where the stream no longer
    /// has it, with the first message that the stream has.
    /// </summary>
    /// <param name="number">The number, zero or more.</param>
    /// <exception cref="ArgumentOutOfRangeException">The number is negative.</exception>
    public static GatewayOffset At(long number)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(number);
        return new GatewayOffset(isNext: false, number);
    }

    /// <summary>The value of the argument <c>x-stream-offset</c> of a consumer.</summary>
    internal object ToArgument() => IsNext ? "next" : _number is { } number ? number : "first";
}
