using System.Diagnostics;

namespace Spate.TestHelpers.Commands;

/// <summary>
/// The tool as native code: <c>test.sh --native</c> names its file in SPATE_NATIVE_TOOL, and a command of a test is
/// then a process of it, whether the test asks for one or not.
/// </summary>
internal static class NativeTool
{
    /// <summary>The line in the output of a test by which test.sh counts it.</summary>
    private const string Mark = "SPATE_NATIVE_TOOL ran";

    /// <summary>The prefix of a reason to skip, which test.sh counts.</summary>
    private const string StaysInside = "the command is in the test's process: ";

    /// <summary>The prefix of the reason without a native tool, which test.sh only counts.</summary>
    private const string OfNativeRun = "SPATE_NATIVE_TOOL: ";

    /// <summary>Its file; null if the tool is compiled at run time, as in a usual run.</summary>
    public static string? Path { get; } =
        Environment.GetEnvironmentVariable("SPATE_NATIVE_TOOL") is { Length: > 0 } path
            ? System.IO.Path.GetFullPath(path)
            : null;

    /// <summary>Skips the test where there is none.</summary>
    public static string Require()
    {
        Assert.SkipWhen(Path is null, OfNativeRun + "test.sh --native makes the native tool");
        return Path!;
    }

    /// <summary>Skips a test whose command cannot be another process.</summary>
    /// <param name="reason">The test's input to the command, or its look into it.</param>
    public static void SkipAsInside(string reason) => Assert.SkipUnless(Path is null, StaysInside + reason);

    /// <summary>Marks the test as one that ran the native tool, if this is how it is started.</summary>
    public static void CountIn(ProcessStartInfo start)
    {
        if (Path is { } path && start.ArgumentList.Prepend(start.FileName)
                .Any(word => word.Contains(path, StringComparison.Ordinal)))
        {
            Count();
        }
    }

    /// <summary>Marks the test as one that ran the native tool, if there is one: a copy, or once for a class.</summary>
    public static void Count()
    {
        if (Path is not null) TestContext.Current.TestOutputHelper?.WriteLine(Mark);
    }
}
