using System.Reflection.PortableExecutable;
using Xunit.Sdk;

namespace Spate.HostTests.Abi;

/// <summary>The files of <see cref="WindowsTable"/> against Microsoft's own headers.</summary>
public sealed class WindowsAbiTests
{
    private const string Renewal = "SPATE_UPDATE_ABI";

    private static bool IsRenewal { get; } = Environment.GetEnvironmentVariable(Renewal) is "1";

    public static TheoryData<string> Files => [.. WindowsTable.Files];

    /// <summary>With SPATE_UPDATE_ABI=1 the test writes the file instead, and passes.</summary>
    [Theory]
    [MemberData(nameof(Files))]
    public async Task Table_AgainstMicrosoftsHeaders_HasTheirValues(string file)
    {
        SkipUnlessAsked();
        using WindowsHeaders headers = await WindowsHeaders.RequireAsync(TestContext.Current.CancellationToken);
        string path = WindowsTable.PathOf(file);
        string[] lines = await File.ReadAllLinesAsync(path, TestContext.Current.CancellationToken);

        string[] renewed = await RenewAsync(lines, headers);

        if (IsRenewal)
        {
            await File.WriteAllTextAsync(
                path, string.Join('\n', renewed) + "\n", TestContext.Current.CancellationToken);
            return;
        }
        string[] difference =
        [
            .. lines.Zip(renewed)
                .Where(static pair => !string.Equals(pair.First, pair.Second, StringComparison.Ordinal))
                .SelectMany(static pair => (string[])["- " + pair.First, "+ " + pair.Second]),
        ];
        Assert.True(difference.Length == 0,
            $"""
            {file} differs from Microsoft's headers (- is the file's value, + that of the headers):
            {string.Join('\n', difference)}
            If the headers are newer or a line is new, renew the file: run this with {Renewal}=1.
            """);
    }

    [Fact]
    public async Task Values_UnknownName_IsReported()
    {
        SkipUnlessAsked();
        using WindowsHeaders headers = await WindowsHeaders.RequireAsync(TestContext.Current.CancellationToken);

        XunitException fault = await Assert.ThrowsAnyAsync<XunitException>(() =>
            headers.ValuesAsync(Machine.Amd64, ["SIO_UNHEARD_OF"], TestContext.Current.CancellationToken));

        Assert.Contains("SIO_UNHEARD_OF", fault.Message, StringComparison.Ordinal);
    }

    private static void SkipUnlessAsked()
    {
        if (IsRenewal) return;
        TestWidth.SkipUnlessLong("it downloads Microsoft's headers; WindowsTableTests reads the table in every run");
    }

    private static async Task<string[]> RenewAsync(string[] lines, WindowsHeaders headers)
    {
        string[] expressions = [.. lines.Where(WindowsTable.IsFact).Select(WindowsTable.ExpressionOf)];
        CancellationToken cancellationToken = TestContext.Current.CancellationToken;
        string[] x64 = await headers.ValuesAsync(Machine.Amd64, expressions, cancellationToken);
        string[] arm64 = await headers.ValuesAsync(Machine.Arm64, expressions, cancellationToken);
        var facts = new Queue<WindowsFact>(
            expressions.Select((expression, i) => new WindowsFact(expression, x64[i], arm64[i])));
        return
        [
            .. lines.Select(line => WindowsTable.IsFact(line) ? facts.Dequeue().Line
                : line.StartsWith(WindowsTable.VersionPrefix, StringComparison.Ordinal)
                    ? WindowsTable.VersionPrefix + WindowsHeaders.Version
                    : line),
        ];
    }
}
