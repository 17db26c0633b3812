using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Spate.Tests;

/// <summary>
/// Prints a line for each failed Debug.Assert, which <c>Spate.Build tests</c> counts as a failure of the run. The test
/// runner's own listener only throws, and a server or a task that catches the exception would hide it.
/// </summary>
internal sealed class FailedAssertions(TextWriter output) : TraceListener
{
    /// <summary>The beginning of the line; TestRun of tools/Spate.Build searches for it.</summary>
    public const string Mark = "Debug.Assert failed: ";

    private const int MaxFrameCount = 12;

    private readonly Lock _lock = new();

    /// <summary>Whether the library is built with its assertions.</summary>
    public static bool CanCome { get; } =
        typeof(UdpSocket).Assembly.GetCustomAttribute<AssemblyConfigurationAttribute>() is { Configuration: "Debug" };

    // Tests replace Console.Error, so the listener writes to the standard error of the process itself. An unhandled
    // exception ends the process at once: the runner's handler lets the test go on, which may wait for the thread.
    [ModuleInitializer]
    internal static void Install()
    {
        var error = new StreamWriter(Console.OpenStandardError()) { AutoFlush = true };
        Trace.Listeners.Insert(0, new FailedAssertions(error));
        AppDomain.CurrentDomain.UnhandledException += static (_, unhandled) =>
            Environment.FailFast("An exception was not handled.", unhandled.ExceptionObject as Exception);
    }

    public override void Fail(string? message, string? detailMessage)
    {
        // The first frame is this method.
        IEnumerable<string> frames =
            from frame in new StackTrace(skipFrames: 1).GetFrames()
            let type = frame.GetMethod()?.DeclaringType
            where type?.FullName?.StartsWith("Spate.", StringComparison.Ordinal) is true
            select $"{type.Name}.{frame.GetMethod()!.Name}";
        string text = $"{message} {detailMessage}".Trim().ReplaceLineEndings(" ");
        lock (_lock) output.WriteLine($"{Mark}{text} (in {string.Join(" < ", frames.Take(MaxFrameCount))})");
    }

    public override void Write(string? message)
    {
    }

    public override void WriteLine(string? message)
    {
    }
}
