using System.CommandLine;

namespace Spate.Cli.Options;

/// <summary>The names of the backends on the command line.</summary>
internal static class BackendText
{
    public static UdpBackend Read(ParseResult parsed, Option<string?> option) => parsed.GetValue(option) switch
    {
        null or "auto" => UdpBackend.Automatic,
        "portable" => UdpBackend.Portable,
        "mmsg" => UdpBackend.Mmsg,
        string other => throw OptionText.Wrong(option, other, "auto, portable or mmsg"),
    };
}
