using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Spate.Build.ApiLists;

namespace Spate.RepoTests;

/// <summary>Every change of a package's public surface is a changed line of a file, and so is seen in review.</summary>
public sealed class ApiTests
{
    private static readonly Lazy<PackageAssemblies> Built = new(
        () => PackageAssemblies.Load(Repository.Top, PackageAssemblies.Names(Repository.Top), "Release"));

    public static TheoryData<string> Packages => [.. PackageAssemblies.Names(Repository.Top)];

    [Fact]
    public void Packages_OfTheRepository_AreFound() =>
        Assert.Contains("Spate", Packages.Select(row => row.Data), StringComparer.Ordinal);

    /// <summary>With SPATE_UPDATE_API=1 the test writes the file instead, and passes.</summary>
    [Theory]
    [MemberData(nameof(Packages))]
    public void Surface_OfAPackage_IsAsReviewed(string package)
    {
        if (Environment.GetEnvironmentVariable(CompareApiCommand.Renewal) == "1")
        {
            Repository.Write(
                $"api/{package}.txt", string.Join('\n', ApiSurface.Of(Built.Value.Of(package))) + "\n");
            return;
        }

        string[] differences = [.. CompareApiCommand.Differences(Repository.Top, package, Built.Value)];
        Assert.True(differences.Length == 0,
            $"""
            {string.Join('\n', differences)}
            If the change is meant, renew the list:
            {CompareApiCommand.Renewal}=1 dotnet run -c Release --project tests/Spate.RepoTests
            """);
    }

    [Fact]
    public void Files_OfTheSurfaces_BelongToPackages() => Repository.AssertNone(
        from file in Repository.Files
        where file.Folder == "api" && !Packages.Any(row => row.Data + ".txt" == file.FileName)
        select file.At(1, "no library of this name is packed"));

    [Theory]
    [InlineData("public sealed class C { internal C() { } }", "public sealed class C")]
    [InlineData("public class C { }", "public C();|public class C")]
    [InlineData("public static class C { public const int A = 3; }", "public const int A = 3;|public static class C")]
    [InlineData("public enum C : byte { A = 4 }", "A = 4;|public enum C : byte")]
    [InlineData("public readonly record struct C(int A);",
        "public C(int A);|public int A { get; init; }|public readonly record struct C : IEquatable<C>|"
            + "public void Deconstruct(out int A);")]
    [InlineData("public readonly ref struct C { public required object? A { get; init; } }",
        "public readonly ref struct C|public required object? A { get; init; }")]
    [InlineData("public static class C { public static Exception? A { get; internal set; } }",
        "public static Exception? A { get; }|public static class C")]
    [InlineData("public record C(int A);",
        "public C(int A);|public int A { get; init; }|public record C : IEquatable<C>|"
            + "public void Deconstruct(out int A);")]
    [InlineData("public sealed class C : List<int> { }", "public C();|public sealed class C : List<int>")]
    [InlineData("public interface C : IList<int> { }", "public interface C : IList<int>")]
    [InlineData("public interface C { string? M(in int a, object? b = null, params string[] rest); }",
        "public interface C|string? M(in int a, object? b = null, params string[] rest);")]
    [InlineData("public delegate void C<in T>(T a, scoped ref Span<int> b) where T : class;",
        "public delegate void C<in T>(T a, scoped ref Span<int> b) where T : class;")]
    [InlineData("public abstract class C : IB { protected C() { } private protected int B; }\ninterface IB { }",
        "protected C();|public abstract class C")]
    [InlineData("[Flags, Obsolete(\"old\")] public enum C : long { }",
        "[Flags] [Obsolete(\"old\")] public enum C : long")]
    [InlineData("class Inner { public class C { } }", "")]
    public void Surface_OfACase_IsSpelledOut(string text, string expected)
    {
        CSharpCompilation source = new SourceModel([Offender.At("src/P/C.cs", text)]).Compilation;
        using var image = new MemoryStream();
        Assert.True(source.Emit(image, cancellationToken: TestContext.Current.CancellationToken).Success);
        MetadataReference built = MetadataReference.CreateFromImage(image.ToArray());
        var assembly = (IAssemblySymbol)source.RemoveAllSyntaxTrees().AddReferences(built)
            .GetAssemblyOrModuleSymbol(built)!;

        IEnumerable<string> lines = ApiSurface.Of(assembly).Select(line => line.Split(": ", 2)[1]);

        Assert.Equal(expected, string.Join('|', lines.Order(StringComparer.Ordinal)));
    }
}
