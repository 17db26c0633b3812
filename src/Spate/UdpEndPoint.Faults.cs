using System.Text;
using Spate.Diagnostics;

namespace Spate;

public readonly partial struct UdpEndPoint
{
    private const int QuotedChars = 64;

    private const string ExpectedForms =
        "Expected 1.2.3.4:9999, [::1]:9999 or [fe80::1%eth0]:53, or an address alone, which has port 0.";

    private const string BadIPv4 = "an IPv4 address is four decimal numbers from 0 to 255 without leading zeros.";
    private const string BadIPv6 = "the IPv6 address is not valid.";
    private const string BadPort = "a port is a decimal number from 0 to 65535 without leading zeros.";
    private const string BadZone = "the scope after '%' is neither a number below 2^32 nor an interface of this host.";
    private const string MappedZone = "an IPv4-mapped address has no scope.";
    private const string BadBrackets = "after '[' come an IPv6 address, ']', and nothing or ':' and a port.";
    private const string Blanks = "blanks around the text are not allowed.";
    private const string TooLong = "the text is too long.";
    private const string Empty = "the text is empty.";
    private const string NotUtf8 = "the text is not valid UTF-8.";

    /// <summary>The text is a stranger's: it is cut short, and what is not printable ASCII is escaped.</summary>
    private static FormatException NotAnEndPoint(ReadOnlySpan<char> text, string fault)
    {
        StringBuilder message = new StringBuilder("'").AppendForeign(text, QuotedChars, quote: '\'');
        return new FormatException(message.Append($"' is not a UDP endpoint: {fault} {ExpectedForms}").ToString());
    }
}
