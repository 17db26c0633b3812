using System.CommandLine;

namespace Spate.Cli.Shell.Options;

/// <summary>The names of the backends on the command line.</summary>
internal static class BackendText
{
    /// <summary>The names, for messages.</summary>
    public const string Expected = "auto, portable, mmsg, uring, winsock or rio";

    /// <summary>The names that <c>--backend</c> takes.</summary>
    public static IReadOnlyList<string> Names { get; } = ["auto", "portable", "mmsg", "uring", "winsock", "rio"];

    public static UdpBackend Read(ParseResult parsed, Option<string?> option) => parsed.GetValue(option) switch
    {
        null => UdpBackend.Automatic,
        string text => Find(text) ?? throw OptionText.Wrong(option, text, Expected),
    };

    /// <summary>The backend of a name; null where none has it.</summary>
    public static UdpBackend? Find(string name) => name switch
    {
        "auto" => UdpBackend.Automatic,
        "portable" => UdpBackend.Portable,
        "mmsg" => UdpBackend.Mmsg,
        "uring" => UdpBackend.Uring,
        "winsock" => UdpBackend.Winsock,
        "rio" => UdpBackend.Rio,
        _ => null,
    };

    /// <summary>The name that <c>--backend</c> takes and reports give.</summary>
    public static string NameOf(UdpBackend backend) => backend switch
    {
        UdpBackend.Automatic => "auto",
        UdpBackend.Portable => "portable",
        UdpBackend.Mmsg => "mmsg",
        UdpBackend.Uring => "uring",
        UdpBackend.Winsock => "winsock",
        UdpBackend.Rio => "rio",
        _ => backend.ToString(),
    };
}
