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
        "uring" => UdpBackend.Uring,
        string other => throw OptionText.Wrong(option, other, "auto, portable, mmsg or uring"),
    };

    /// <summary>The name that <c>--backend</c> takes and reports give.</summary>
    public static string NameOf(UdpBackend backend) => backend switch
    {
        UdpBackend.Automatic => "auto",
        UdpBackend.Portable => "portable",
        UdpBackend.Mmsg => "mmsg",
        UdpBackend.Uring => "uring",
        _ => backend.ToString(),
    };
}
