using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

public sealed class NativeTests
{
    private const string Import = """
        static partial class Libc
        {
            [System.Runtime.InteropServices.LibraryImport("libc")]
            private static partial int close(int fd);
        }
        """;

    [Fact]
    public void Imports_OfTheRepository_LieInInterop() =>
        Repository.AssertNone(Repository.CSharp, NativeRules.ImportOutsideInterop);

    [Fact]
    public void Unsafe_OfTheRepository_StaysInItsFolders() =>
        Repository.AssertNone(Repository.CSharp, NativeRules.UnsafeOutsideItsFolders);

    [Fact]
    public void Unsafe_OfTheRepository_SaysWhyItIsSound() =>
        Repository.AssertNone(Repository.CSharp, NativeRules.UnsafeWithoutReason);

    [Theory]
    [InlineData("src/Spate/Interop/Linux/Libc.cs", false)]
    [InlineData("src/Spate/Serving/Interop/Linux/Libc.cs", true)]
    [InlineData("src/Spate.HostTuning/Interop/Linux/Libc.cs", false)]
    [InlineData("src/Spate.Measurement/Interop/Linux/Libc.cs", false)]
    [InlineData("src/Spate.HostTuning/Counters/Libc.cs", true)]
    [InlineData("src/Spate/InteropNot/Libc.cs", true)]
    [InlineData("src/Spate.Cli/Libc.cs", true)]
    [InlineData("tests/Spate.Tests/Libc.cs", false)]
    public void ImportOutsideInterop_ByFolder_IsRefused(string path, bool refused) =>
        Assert.Equal(refused ? [3] : [], Offender.Lines(NativeRules.ImportOutsideInterop, path, Import));

    [Fact]
    public void ImportOutsideInterop_OldForm_IsRefused() =>
        Assert.Equal([1], Offender.Lines(
            NativeRules.ImportOutsideInterop,
            "src/Spate/A.cs",
            "class C { [DllImport(\"c\")] static extern int a(); }"));

    [Theory]
    [InlineData("src/Spate/Interop/A.cs", false)]
    [InlineData("src/Spate/Buffers/A.cs", false)]
    [InlineData("src/Spate/Sockets/Mmsg/A.cs", false)]
    [InlineData("tests/Spate.Tests/A.cs", false)]
    [InlineData("src/Spate/A.cs", true)]
    [InlineData("src/Spate.HostTuning/Interop/A.cs", false)]
    [InlineData("src/Spate/Segmentation/A.cs", true)]
    [InlineData("src/Spate.Measurement/A.cs", true)]
    [InlineData("samples/Echo/Program.cs", true)]
    public void UnsafeOutsideItsFolders_ByFolder_IsRefused(string path, bool refused) =>
        Assert.Equal(refused ? [2] : [], Offender.Lines(
            NativeRules.UnsafeOutsideItsFolders, path, "// unsafe in words is fine\nunsafe class C { }"));

    [Theory]
    [InlineData("unsafe { *p = 1; }", true)]
    [InlineData("// a comment\nunsafe { *p = 1; }", true)]
    [InlineData("// SAFETY: p is the caller's.\nunsafe { *p = 1; }", false)]
    [InlineData("unsafe\n{\n// SAFETY: p is the caller's.\n*p = 1; }", false)]
    [InlineData("unsafe { Say(\"SAFETY: in a string\"); }", true)]
    public void UnsafeWithoutReason_Block_NeedsItsComment(string block, bool refused)
    {
        foreach (string path in (string[])["src/Spate/Interop/A.cs", "src/Spate/Buffers/A.cs", "tests/T/A.cs"])
        {
            var file = Offender.At(path, $"class C {{ void M(int* p) {{\n{block}\n}} }}");
            Assert.Equal(refused, NativeRules.UnsafeWithoutReason(file).Any());
        }
    }

    [Theory]
    [InlineData("class C { unsafe void M(int* p) { *p = 1; } }", true)]
    [InlineData("class C { unsafe int M(int* p) => *p; }", true)]
    [InlineData("class C {\n// SAFETY: p is checked.\nunsafe int M(int* p) => *p; }", false)]
    [InlineData("// SAFETY: every p is checked.\nclass C { unsafe int M(int* p) => *p; }", false)]
    [InlineData("class C { unsafe int M(int* p) => *p;\n// SAFETY: of another.\nint N() => 1; }", true)]
    [InlineData("interface I { unsafe int M(int* p); }", false)]
    [InlineData("unsafe struct S { int* p; }", true)]
    [InlineData("/// <summary>SAFETY: p is never read.</summary>\nunsafe struct S { int* p; }", false)]
    public void UnsafeWithoutReason_Member_NeedsItsComment(string text, bool refused)
    {
        Assert.Equal(refused, NativeRules.UnsafeWithoutReason(Offender.At("src/Spate/Sockets/A.cs", text)).Any());
        Assert.Empty(NativeRules.UnsafeWithoutReason(Offender.At("src/Spate/Interop/A.cs", text)));
    }
}
