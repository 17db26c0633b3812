using System.Reflection;

namespace Spate.Tests.Cli.Iperf.Iperf3.Wire;

/// <summary>
/// Documents of the control connection. Those of 3.12 were sent by the real program; the others are written after the
/// descriptions of their versions.
/// </summary>
internal static class WireCorpus
{
    private const string Prefix = "iperf3/";

    private static readonly Assembly Assembly = typeof(WireCorpus).Assembly;

    public static IEnumerable<string> Names(string kind) => Assembly.GetManifestResourceNames()
        .Where(name => name.StartsWith(Prefix + kind, StringComparison.Ordinal))
        .Select(static name => name[Prefix.Length..])
        .Order(StringComparer.Ordinal);

    public static byte[] Read(string name)
    {
        using Stream stream = Assembly.GetManifestResourceStream(Prefix + name)!;
        using var copy = new MemoryStream();
        stream.CopyTo(copy);
        return copy.ToArray();
    }
}
