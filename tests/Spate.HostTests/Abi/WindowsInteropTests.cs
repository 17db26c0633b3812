using System.Globalization;
using System.Reflection;
using System.Runtime.InteropServices;
using Spate.Interop.Windows;

namespace Spate.HostTests.Abi;

/// <summary>The declarations of the folders Interop/Windows against the files of <see cref="WindowsTable"/>.</summary>
public sealed class WindowsInteropTests
{
    private static readonly Assembly[] Assemblies =
    [
        typeof(WinSock2).Assembly,
        typeof(Spate.HostTuning.Interop.Linux.Netlink).Assembly,
        typeof(Spate.Measurement.Interop.Linux.Time).Assembly,
    ];

    private static IEnumerable<Type> Types => Assemblies.SelectMany(static assembly => assembly.GetTypes())
        .Where(static type => type.Namespace?.EndsWith(".Interop.Windows", StringComparison.Ordinal) is true)
        .Where(static type => !type.IsNested);

    public static TheoryData<string> Structs => [.. Types.Where(static type => type.IsValueType).Select(NameOf)];

    public static TheoryData<string> Classes => [.. Types.Where(static type => !type.IsValueType).Select(NameOf)];

    [Theory]
    [MemberData(nameof(Structs))]
    public void Struct_SizeAndOffsets_AreThoseOfMicrosoftsHeaders(string name)
    {
        Type type = TypeOf(name);
        Dictionary<string, int> offsets = WindowsTable.All
            .Where(fact => fact.Expression.StartsWith($"offsetof({type.Name},", StringComparison.Ordinal))
            .ToDictionary(
                static fact => fact.Expression[(fact.Expression.LastIndexOfAny([',', '.']) + 1)..^1],
                static fact => int.Parse(fact.X64, CultureInfo.InvariantCulture),
                StringComparer.Ordinal);

        Assert.Equal(WindowsTable.Int32($"sizeof({type.Name})"), Marshal.SizeOf(type));
        Assert.All(FieldsOf(type), field =>
            Assert.Equal((field.Name, offsets[field.Name]), (field.Name, (int)Marshal.OffsetOf(type, field.Name))));
    }

    [Theory]
    [MemberData(nameof(Classes))]
    public void Class_Constants_AreThoseOfMicrosoftsHeaders(string name)
    {
        Type type = TypeOf(name);

        foreach (FieldInfo constant in CText.Constants(type).Where(static one => !one.Name.Any(char.IsLower)))
        {
            ulong value = WindowsTable.Number(constant.Name);
            decimal ours = Convert.ToDecimal(constant.GetRawConstantValue(), CultureInfo.InvariantCulture);
            Assert.Equal((constant.Name, value), (constant.Name, unchecked((ulong)(long)ours)));
        }
    }

    [Fact]
    public void Guids_OfTheExtensionFunctions_AreThoseOfMicrosoftsHeaders()
    {
        Assert.Equal(WindowsTable.Guid(nameof(MSWSock.WSAID_WSARECVMSG)), MSWSock.WSAID_WSARECVMSG);
        Assert.Equal(WindowsTable.Guid(nameof(MSWSock.WSAID_MULTIPLE_RIO)), MSWSock.WSAID_MULTIPLE_RIO);
    }

    [Fact]
    public void ControlMessages_Arithmetic_IsThatOfMicrosoftsHeaders()
    {
        Assert.Equal(Messages.ControlMessages.HeaderBytes, WindowsTable.Int32("WSA_CMSG_LEN(0)"));
        Assert.Equal(WindowsTable.Int32("WSA_CMSG_SPACE(4)"), Messages.ControlMessages.Space(4));
        Assert.Equal(WindowsTable.Int32("WSA_CMSG_SPACE(sizeof(IN_PKTINFO))"), Messages.ControlMessages.Space(8));
        Assert.Equal(WindowsTable.Int32("WSA_CMSG_SPACE(sizeof(IN6_PKTINFO))"), Messages.ControlMessages.Space(20));
    }

    private static Type TypeOf(string name) =>
        Types.Single(type => string.Equals(NameOf(type), name, StringComparison.Ordinal));

    private static string NameOf(Type type) => type.FullName!;

    private static FieldInfo[] FieldsOf(Type type) =>
        type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic);
}
