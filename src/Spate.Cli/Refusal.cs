using System.Net.Sockets;
using System.Reflection;
using Spate.Cli.Terminal;
using Spate.Measurement.Bench;
using Spate.Measurement.Traffic;

namespace Spate.Cli;

/// <summary>
/// The one place that turns whatever escapes a command into a line for people: what was wrong and what to do, without
/// names of types, and with the exit code.
/// </summary>
internal static class Refusal
{
    public static CommandException Of(Exception fault)
    {
        if (HasRunOutOfMemory(fault))
        {
            return CommandException.Refused(MemoryText(), fault);
        }

        return fault as CommandException ?? CommandException.Refused(TextOf(Innermost(fault)), fault);
    }

    private static string TextOf(Exception fault) => fault switch
    {
        // Their messages are made for people, by the library and the measurements.
        SocketException or NotSupportedException or InvalidOperationException or TrafficException or BenchException =>
            fault.Message,
        FileNotFoundException or FileLoadException or BadImageFormatException =>
            $"a part of the program could not be loaded: {FirstPart(fault.Message)}; install it anew",
        _ => $"could not run: {FirstPart(fault.Message)}",
    };

    // What is raised where a thread or a static member is made hides what went wrong, and is named after a type.
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
            if (one is OutOfMemoryException)
            {
                return true;
            }
        }

        return false;
    }

    private static string MemoryText() =>
        $"not enough memory (the heap may have {Units.Bytes(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes)}), or no "
        + "further thread: raise the limit, or ask for fewer threads, sockets or datagrams";

    // The runtime adds the name of a parameter of the code, and a message that nobody gave names the type.
    private static string FirstPart(string message)
    {
        if (message.StartsWith("Exception of type '", StringComparison.Ordinal))
        {
            return "an unexpected fault";
        }

        int end = message.IndexOf(" (Parameter '", StringComparison.Ordinal);
        return (end < 0 ? message : message[..end]).Trim().TrimEnd('.');
    }
}
