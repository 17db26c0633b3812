using System.Globalization;

namespace Spate.HostTests.Abi;

/// <summary>
/// Windows's structs and constants according to Microsoft's own headers, read from the checked-in files of this folder.
/// Tests on every system compare code for Windows with it.
/// </summary>
internal static class WindowsTable
{
    internal const string VersionPrefix = "# Headers: microsoft.windows.sdk.cpp ";

    internal static readonly string[] Files = ["windows-layouts.txt", "windows-constants.txt"];

    private static readonly Lazy<Dictionary<string, WindowsFact>> Facts = new(() =>
        Files.SelectMany(Read).ToDictionary(static fact => fact.Expression, StringComparer.Ordinal));

    internal static IReadOnlyCollection<WindowsFact> All => Facts.Value.Values;

    /// <summary>A value that is the same on x64 and arm64.</summary>
    /// <param name="expression">The first column: <c>sizeof(RIO_BUF)</c>, <c>SIO_UDP_CONNRESET</c>.</param>
    internal static ulong Number(string expression)
    {
        string value = Value(expression);
        return value.StartsWith("0x", StringComparison.Ordinal)
            ? ulong.Parse(value.AsSpan(2), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture)
            : ulong.Parse(value, NumberStyles.None, CultureInfo.InvariantCulture);
    }

    /// <summary>The same for a constant of 32 bits that C# has as an int.</summary>
    internal static int Int32(string expression) => unchecked((int)checked((uint)Number(expression)));

    /// <summary>The GUID of an extension function.</summary>
    internal static Guid Guid(string expression) => new(Convert.FromHexString(Value(expression)));

    internal static string PathOf(string file) =>
        Path.Combine(RepositoryTop.Path, "tests", "Spate.HostTests", "Abi", file);

    /// <summary>Whether a line of the files is a fact: the others are blank or comments.</summary>
    internal static bool IsFact(string line) => line.Length > 0 && !line.StartsWith('#');

    internal static string ExpressionOf(string line) => line.Split(' ')[0];

    private static string Value(string expression)
    {
        WindowsFact fact = Facts.Value[expression];
        Assert.Equal(fact.X64, fact.Arm64);
        return fact.X64;
    }

    private static IEnumerable<WindowsFact> Read(string file) =>
        from line in File.ReadLines(PathOf(file))
        where IsFact(line)
        let columns = line.Split(' ', StringSplitOptions.RemoveEmptyEntries)
        select columns.Length == 3
            ? new WindowsFact(columns[0], columns[1], columns[2])
            : throw new InvalidDataException($"{file} has no values for {columns[0]}: renew it, see WindowsAbiTests.");
}

/// <summary>A C expression, and its value on each machine.</summary>
internal sealed record WindowsFact(string Expression, string X64, string Arm64)
{
    public string Line => $"{Expression,-59} {X64,-18} {Arm64}";
}
