using System.Globalization;

namespace Spate.HostTuning.Checks;

/// <summary>Numbers in the sentences of checks.</summary>
internal static class CheckText
{
    /// <summary>A count with separated thousands.</summary>
    public static string Count(long count) => count.ToString("#,0", CultureInfo.InvariantCulture);

    /// <summary>A size in bytes.</summary>
    public static string Bytes(long bytes) => $"{Count(bytes)} bytes";
}
