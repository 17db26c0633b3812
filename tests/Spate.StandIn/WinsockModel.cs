using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;

namespace Spate.StandIn;

/// <summary>
/// The stand-in for what Wine lacks of Winsock (tests/WindowsStandIn), as a test sees it: the rules that were broken,
/// the counts, and the knobs. The variable SPATE_STANDIN has the path of the DLL.
/// </summary>
internal static partial class WinsockModel
{
    private const string Library = "standin";
    private const string Variable = "SPATE_STANDIN";

    private static readonly Lazy<nint> Loaded =
        new(static () => NativeLibrary.Load(Environment.GetEnvironmentVariable(Variable)!));

    /// <summary>Whether the variable is set; the DLL is loaded at the first import.</summary>
    public static bool IsNamed => OperatingSystem.IsWindows()
        && Environment.GetEnvironmentVariable(Variable) is { Length: > 0 };

    /// <summary>Whether this process uses the stand-in.</summary>
    public static bool IsHere => IsNamed && Loaded.IsValueCreated;

    /// <summary>Returns and forgets the first rule that was broken, or null.</summary>
    public static string? TakeViolation()
    {
        byte[] text = new byte[256];
        int length = standin_violation(text, text.Length);
        return length == 0 ? null : Encoding.UTF8.GetString(text, 0, Math.Min(length, text.Length - 1));
    }

    /// <summary>Forgets the broken rules and the counts, and sets the knobs as they were at the start.</summary>
    public static void Reset() => standin_reset();

    /// <summary>Sets a knob; standin.h lists them.</summary>
    public static void Set(string knob, long value)
    {
        if (standin_set(knob, value) == 0) return;
        throw new ArgumentException($"knob '{knob}': expected a name that standin.h lists", nameof(knob));
    }

    /// <summary>The datagrams that Linux dropped below Wine for the sockets with a local port.</summary>
    public static long LostBelow(int port)
    {
        long lost = standin_lost(port);
        return lost >= 0 ? lost : throw new InvalidOperationException("/proc/net/udp of the host cannot be read");
    }

    public static ModelCounts Read()
    {
        Span<long> numbers = stackalloc long[Marshal.SizeOf<ModelCounts>() / sizeof(long)];
        int known = standin_read(numbers, numbers.Length);
        return known == numbers.Length
            ? MemoryMarshal.Cast<long, ModelCounts>(numbers)[0]
            : throw new InvalidOperationException($"standin.dll has {known} counts, ModelCounts has {numbers.Length}");
    }

    internal static void Lead(string assembly)
    {
        try
        {
            NativeLibrary.SetDllImportResolver(Assembly.Load(assembly), Find);
        }
        catch (FileNotFoundException)
        {
            // A program without it.
        }
    }

    internal static nint Find(string library, Assembly assembly, DllImportSearchPath? path) =>
        library switch
        {
            Library or "ws2_32" or "ws2_32.dll" => Loaded.Value,
            "kernel32" or "kernel32.dll" when assembly.GetName().Name is "Spate" => Loaded.Value,
            _ => 0,
        };

    [LibraryImport(Library)]
    private static partial int standin_violation([Out] byte[] text, int size);

    [LibraryImport(Library)]
    private static partial void standin_reset();

    [LibraryImport(Library, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int standin_set(string name, long value);

    [LibraryImport(Library)]
    private static partial int standin_read(Span<long> numbers, int length);

    [LibraryImport(Library)]
    private static partial long standin_lost(int port);
}
