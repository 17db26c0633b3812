using System.Globalization;
using System.Net.Sockets;
using System.Text;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Checks;

/// <summary>Numbers and names in the sentences of checks.</summary>
internal static class CheckText
{
    // The longest names of the kernel's that are shown have some 40 characters.
    private const int MaxNameLength = 64;

    public static string Count(long count) => count.ToString("#,0", CultureInfo.InvariantCulture);

    public static string Bytes(long bytes) => $"{Count(bytes)} bytes";

    public static string Number(double number) => number.ToString("#,0.#", CultureInfo.InvariantCulture);

    public static string Plural(long count, string one) => count == 1 ? $"1 {one}" : $"{Count(count)} {one}s";

    public static string Family(AddressFamily family) => family == AddressFamily.InterNetworkV6 ? "IPv6" : "IPv4";

    /// <summary>A name that others have chosen, in one line and cut where it is too long to be one.</summary>
    public static string Name(string name) => FileText.Escape(
        Encoding.UTF8.GetBytes(name.Length > MaxNameLength ? name[..MaxNameLength] : name));
}
