using System.Net.Sockets;
using System.Reflection;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Cli.Shell;
using Spate.Cli.Shell.Terminal;
using Spate.Gateway;
using Spate.Measurement.Traffic;

namespace Spate.Cli;

/// <summary>
/// The one place that turns an exception of a command into a line for people and an exit code. The line says what was
/// wrong and what to do, and names no types.
/// </summary>
internal static class ErrorMapper
{
    public static CommandException Of(Exception fault)
    {
        if (HasRunOutOfMemory(fault)) return CommandException.Refused(MemoryText(), DocsAnchor.Memory, fault);

        if (fault is CommandException refusal) return refusal;

        Exception cause = Innermost(fault);
        return CommandException.Refused(TextOf(cause), AnchorOf(cause), fault);
    }

    private static string? AnchorOf(Exception fault) => fault switch
    {
        SocketException refused => DocsAnchor.Of(refused.SocketErrorCode),
        Iperf3Exception { InnerException: SocketException refused } => DocsAnchor.Of(refused.SocketErrorCode),
        BenchException { InnerException: SocketException refused } => DocsAnchor.Of(refused.SocketErrorCode),
        PlatformNotSupportedException => DocsAnchor.NotSupported,
        FileNotFoundException or FileLoadException or BadImageFormatException => DocsAnchor.Incomplete,
        IOException => DocsAnchor.Output,
        _ => DocsAnchor.None,
    };

    private static string TextOf(Exception fault) => fault switch
    {
        // The library and the measurements write these messages for people.
        SocketException or NotSupportedException or InvalidOperationException or TrafficException or BenchException
            or Iperf3Exception or GatewayException => fault.Message,
        FileNotFoundException or FileLoadException or BadImageFormatException =>
            $"a part of the program could not be loaded: {FirstPart(fault.Message)}; reinstall spate",
        _ => $"could not run: {FirstPart(fault.Message)}",
    };

    // The messages of these exceptions name a type. The cause is the inner exception.
    private static Exception Innermost(Exception fault)
    {
        while (fault is TypeInitializationException or AggregateException or TargetInvocationException
            && fault.InnerException is { } inner)
        {
            fault = inner;
        }

        return fault;
    }

    private static bool HasRunOutOfMemory(Exception fault)
    {
        for (Exception? one = fault; one is not null; one = one.InnerException)
        {
            if (one is OutOfMemoryException) return true;
        }

        return false;
    }

    private static string MemoryText() =>
        $"not enough memory (heap limit {Units.Bytes(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes)}) or "
        + "threads: raise the limit, or use fewer threads, sockets or datagrams";

    // The runtime appends the name of a parameter to a message. Without a message, it names the type.
    private static string FirstPart(string message)
    {
        if (message.StartsWith("Exception of type '", StringComparison.Ordinal)) return "unexpected error";

        int end = message.IndexOf(" (Parameter '", StringComparison.Ordinal);
        return (end < 0 ? message : message[..end]).Trim().TrimEnd('.');
    }
}
