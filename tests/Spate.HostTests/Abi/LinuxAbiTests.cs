using System.Reflection;
using Spate.Interop.Linux;
using Spate.Messages;

namespace Spate.HostTests.Abi;

public sealed class LinuxAbiTests
{
    private static readonly Assembly[] Assemblies =
    [
        typeof(Errno).Assembly,
        typeof(Spate.HostTuning.Interop.Linux.Netlink).Assembly,
        typeof(Spate.Measurement.Interop.Linux.Time).Assembly,
    ];

    public static TheoryData<string> StructNames => [.. NativeMap.Structs.Select(native => native.Type.FullName!)];

    public static TheoryData<string> ClassNames => [.. NativeMap.Classes.Select(native => native.Type.FullName!)];

    [Theory]
    [MemberData(nameof(StructNames))]
    public async Task Struct_AgainstSystemHeader_HasSameSizeAndOffsets(string name)
    {
        NativeStruct native = NativeMap.Structs.Single(one => IsNamed(one.Type, name));
        await AssertCompiles(CText.ForStruct(native));
    }

    [Theory]
    [MemberData(nameof(ClassNames))]
    public async Task Class_AgainstSystemHeader_HasSameConstantsAndFunctions(string name)
    {
        NativeClass native = NativeMap.Classes.Single(one => IsNamed(one.Type, name));
        await AssertCompiles(CText.ForClass(native));
    }

    [Fact]
    public async Task ControlMessages_AgainstSystemHeader_HaveSameArithmetic() =>
        await AssertCompiles(CText.ForControlMessages(dataBytesUpTo: 64));

    [Fact]
    public async Task ErrnoNames_AgainstSystemHeader_HaveTheirNumbers() =>
        await AssertCompiles(CText.ForErrnoNames(upTo: 200));

    [Fact]
    public async Task EndPoint_AgainstSystemHeader_HasTheLayoutOfBothAddresses() =>
        await AssertCompiles(CText.ForEndPoint());

    [Fact]
    public async Task Check_WrongSize_IsReported()
    {
        Assert.SkipUnless(CCompiler.Path is not null, CCompiler.MissingReason);
        const string Text = "#include <time.h>\n_Static_assert(sizeof(struct timespec) == 17, \"seventeen\");\n";

        string? errors = await CCompiler.CheckAsync(Text, TestContext.Current.CancellationToken);

        Assert.Contains("seventeen", errors, StringComparison.Ordinal);
    }

    [Fact]
    public void Map_EveryTypeOfInteropLinux_IsCovered()
    {
        HashSet<Type> mapped =
        [
            .. NativeMap.Structs.Select(native => native.Type),
            .. NativeMap.Classes.Select(native => native.Type),
        ];
        string[] missing =
        [
            .. Assemblies.SelectMany(assembly => assembly.GetTypes())
                .Where(type => type.Namespace?.EndsWith(".Interop.Linux", StringComparison.Ordinal) is true)
                .Where(type => !type.IsNested && !mapped.Contains(type))
                .Select(type => type.FullName!),
        ];

        Assert.True(missing.Length == 0, $"Add to NativeMap with its C header: {string.Join(", ", missing)}");
    }

    [Fact]
    public void Map_EveryFieldWithoutNativeName_Exists()
    {
        foreach (string field in NativeMap.FieldsWithoutNativeName)
        {
            string[] parts = field.Split('.');
            Type type = NativeMap.Structs.First(one => one.Type.Name.Equals(parts[0], StringComparison.Ordinal)).Type;
            Assert.NotNull(type.GetField(parts[1]));
        }
    }

    private static bool IsNamed(Type type, string name) => string.Equals(type.FullName, name, StringComparison.Ordinal);

    private static async Task AssertCompiles(string text)
    {
        Assert.SkipUnless(CCompiler.Path is not null, CCompiler.MissingReason);
        string? errors = await CCompiler.CheckAsync(text, TestContext.Current.CancellationToken);
        Assert.True(errors is null, $"The system's headers disagree:\n{errors}");
    }
}
