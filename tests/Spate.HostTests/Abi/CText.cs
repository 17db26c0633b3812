using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Spate.Interop.Linux;
using Spate.Messages;
using Spate.Sockets.Mmsg;

namespace Spate.HostTests.Abi;

/// <summary>Writes C text that compiles only if the system's headers agree with our structs and constants.</summary>
internal static class CText
{
    private const BindingFlags Declared =
        BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    internal static string ForStruct(NativeStruct native)
    {
        StringBuilder text = Start(native.Header);
        text.AppendLine(native.Prelude);
        Assert(text, $"sizeof({native.Name}) == {SizeOf(native.Type)}");
        foreach (FieldInfo field in native.Type.GetFields(BindingFlags.Instance | BindingFlags.Public))
        {
            if (NativeMap.FieldsWithoutNativeName.Contains($"{native.Type.Name}.{field.Name}", StringComparer.Ordinal))
            {
                continue;
            }
            Assert(text, $"offsetof({native.Name}, {field.Name}) == {Marshal.OffsetOf(native.Type, field.Name)}");
            Assert(text, $"sizeof((({native.Name} *)0)->{field.Name}) == {SizeOf(field.FieldType)}");
        }
        return text.ToString();
    }

    internal static string ForClass(NativeClass native)
    {
        StringBuilder text = Start(native.Header);
        foreach (FieldInfo constant in Constants(native.Type))
        {
            // GNU C gives an enumerator above INT_MAX another type than the rest; the cast makes them comparable.
            string cast = constant.FieldType == typeof(uint) ? "(uint32_t)" : "(long long)";
            string value = Convert.ToString(constant.GetRawConstantValue(), CultureInfo.InvariantCulture)!;
            Assert(text, $"{cast}({constant.Name}) == {cast}({value})");
        }
        foreach (string function in Functions(native.Type))
        {
            text.AppendLine($"static void *address_of_{function} __attribute__((unused)) = (void *)&{function};");
        }
        return text.ToString();
    }

    internal static string ForControlMessages(int dataBytesUpTo)
    {
        StringBuilder text = Start("sys/socket.h");
        Assert(text, $"sizeof(struct cmsghdr) == {ControlMessages.HeaderBytes}");
        Assert(text, $"offsetof(struct cmsghdr, cmsg_level) == {ControlMessages.LevelOffset}");
        Assert(text, $"offsetof(struct cmsghdr, cmsg_type) == {ControlMessages.TypeOffset}");
        for (int dataBytes = 0; dataBytes <= dataBytesUpTo; dataBytes++)
        {
            Assert(text, $"CMSG_LEN({dataBytes}) == {ControlMessages.HeaderBytes + dataBytes}");
            Assert(text, $"CMSG_SPACE({dataBytes}) == {ControlMessages.Space(dataBytes)}");
        }
        return text.ToString();
    }

    /// <summary>An end point is a sockaddr_in or a sockaddr_in6.</summary>
    internal static string ForEndPoint()
    {
        StringBuilder text = Start("netinet/in.h");
        Assert(text, $"sizeof(struct sockaddr_in) == {UdpEndPoint.NativeBytesOfIPv4}");
        Assert(text, $"sizeof(struct sockaddr_in6) == {UdpEndPoint.NativeBytesOfIPv6}");
        AssertOffset("sockaddr_in, sin_port", "_networkPort");
        AssertOffset("sockaddr_in, sin_addr", "_networkIPv4");
        AssertOffset("sockaddr_in6, sin6_port", "_networkPort");
        AssertOffset("sockaddr_in6, sin6_flowinfo", "_networkIPv4");
        AssertOffset("sockaddr_in6, sin6_addr", "_networkIPv6First");
        AssertOffset("sockaddr_in6, sin6_scope_id", "_scopeId");
        return text.ToString();

        void AssertOffset(string native, string field) =>
            Assert(text, $"offsetof(struct {native}) == {Marshal.OffsetOf<UdpEndPoint>(field)}");
    }

    /// <summary>Each name that messages show for a number has that number.</summary>
    internal static string ForErrnoNames(int upTo)
    {
        StringBuilder text = Start("errno.h");
        for (int errno = 1; errno <= upTo; errno++)
        {
            string described = Errno.Describe(errno);
            int end = described.IndexOf(" (", StringComparison.Ordinal);
            if (end > 0) Assert(text, $"{described[..end]} == {errno}");
        }
        return text.ToString();
    }

    internal static IEnumerable<FieldInfo> Constants(Type type) =>
        type.GetFields(Declared).Where(field => field.IsLiteral && !field.IsPrivate);

    /// <summary>Imports keep the native spelling, which has no capitals; our own helpers start with one.</summary>
    private static IEnumerable<string> Functions(Type type) => type.GetMethods(Declared)
        .Where(method => !method.IsPrivate && !method.IsSpecialName && char.IsAsciiLetterLower(method.Name[0]))
        .Select(method => method.Name)
        .Distinct(StringComparer.Ordinal);

    // time.h is there because linux/errqueue.h uses struct timespec without declaring it.
    private static StringBuilder Start(string header) => new StringBuilder("#define _GNU_SOURCE\n")
        .AppendLine("#include <stddef.h>")
        .AppendLine("#include <stdint.h>")
        .AppendLine("#include <time.h>")
        .AppendLine($"#include <{header}>");

    private static void Assert(StringBuilder text, string condition) =>
        text.AppendLine($"_Static_assert({condition}, \"{condition}\");");

    private static int SizeOf(Type type) => type.IsPointer
        ? IntPtr.Size
        : (int)typeof(Unsafe).GetMethod(nameof(Unsafe.SizeOf))!.MakeGenericMethod(type).Invoke(null, null)!;
}
