using System.Text.Json;

namespace Spate.Measurement.Loss;

/// <summary>All places with the names that reports give them.</summary>
internal static class LossPlaces
{
    private static readonly string[] Names =
        [.. Enum.GetNames<LossPlace>().Select(JsonNamingPolicy.CamelCase.ConvertName)];

    /// <summary>The places in the order of a datagram's way; the index is the place's value.</summary>
    public static IReadOnlyList<LossPlace> All { get; } = Enum.GetValues<LossPlace>();

    /// <summary>The name in a report, for example <c>senderQueue</c>.</summary>
    public static string NameOf(LossPlace place) => Names[(int)place];
}
