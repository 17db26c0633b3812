using System.CommandLine;
using Spate.Measurement.Reports;

namespace Spate.Cli.Shell.Options;

/// <summary>The names of the backends on the command line.</summary>
internal static class BackendText
{
    public const string Expected = "auto, portable, mmsg, uring, winsock or rio";

    public static IReadOnlyList<string> Names { get; } = [.. Enum.GetValues<UdpBackend>().Select(NameOf)];

    public static UdpBackend Read(ParseResult parsed, Option<string?> option) => parsed.GetValue(option) switch
    {
        null => UdpBackend.Automatic,
        string text => Find(text) ?? throw OptionText.Wrong(option, text, Expected),
    };

    public static UdpBackend? Find(string name)
    {
        foreach (UdpBackend backend in Enum.GetValues<UdpBackend>())
        {
            if (NameOf(backend).Equals(name, StringComparison.Ordinal)) return backend;
        }

        return null;
    }

    public static string NameOf(UdpBackend backend) =>
        backend == UdpBackend.Automatic ? "auto" : NameText.Of(backend);
}
