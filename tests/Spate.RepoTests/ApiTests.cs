using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

/// <summary>Every change of a package's public surface is a changed line of a file, and so is seen in review.</summary>
public sealed class ApiTests
{
    private const string Renewal = "SPATE_UPDATE_API";

    private static readonly Lazy<SourceModel> Model = new(() => new SourceModel(Repository.CSharp.Where(
        file => file.IsUnderAny([.. ProjectRules.LibraryPackages(Repository.Files).Select(name => $"src/{name}")]))));

    public static TheoryData<string> Packages => [.. ProjectRules.LibraryPackages(Repository.Files)];

    [Fact]
    public void Packages_OfTheRepository_AreFound() =>
        Assert.Contains("Spate", Packages.Select(row => row.Data), StringComparer.Ordinal);

    /// <summary>With SPATE_UPDATE_API=1 the test writes the file instead, and passes.</summary>
    [Theory]
    [MemberData(nameof(Packages))]
    public void Surface_OfAPackage_IsAsReviewed(string package)
    {
        string[] actual = [.. ApiSurface.Of(Model.Value, $"src/{package}")];
        string path = $"api/{package}.txt";
        if (Environment.GetEnvironmentVariable(Renewal) == "1")
        {
            Repository.Write(path, string.Join('\n', actual) + "\n");
            return;
        }

        string[] reviewed = Repository.Files.FirstOrDefault(file => file.Path == path)?.Lines ?? [];
        string[] difference =
        [
            .. reviewed.Except(actual, StringComparer.Ordinal).Select(line => "- " + line),
            .. actual.Except(reviewed, StringComparer.Ordinal).Select(line => "+ " + line),
        ];
        Assert.True(difference.Length == 0,
            $"""
            {path} is not the surface of {package} (- stands in the file, + in the code):
            {string.Join('\n', difference.OrderBy(line => line[2..], StringComparer.Ordinal))}
            If the change is meant, renew the file: {Renewal}=1 dotnet run -c Release --project tests/Spate.RepoTests
            """);
        Assert.Equal(actual, reviewed);
    }

    [Fact]
    public void Files_OfTheSurfaces_BelongToPackages() => Repository.AssertNone(
        from file in Repository.Files
        where file.IsUnder("api") && !Packages.Any(row => row.Data + ".txt" == file.FileName)
        select file.At(1, "no library of this name is packed"));

    [Theory]
    [InlineData("public sealed class C { internal C() { } }", "public sealed class C")]
    [InlineData("public class C { }", "public C();|public class C")]
    [InlineData("public static class C { public const int A = 3; }", "public const int A = 3;|public static class C")]
    [InlineData("public enum C : byte { A = 4 }", "A = 4;|public enum C : byte")]
    [InlineData("public readonly record struct C(int A);",
        "public C(int A);|public int A { get; init; }|public readonly record struct C : IEquatable<C>|"
            + "public void Deconstruct(out int A);")]
    [InlineData("public readonly ref struct C { public required object? A { get; internal init; } }",
        "public readonly ref struct C|public required object? A { get; }")]
    [InlineData("public interface C { string? M(in int a, object? b = null, params string[] rest); }",
        "public interface C|string? M(in int a, object? b = null, params string[] rest);")]
    [InlineData("public delegate void C<in T>(scoped ref T a) where T : class;",
        "public delegate void C<in T>(scoped ref T a) where T : class;")]
    [InlineData("public abstract class C : IB { protected C() { } private protected int B; }\ninterface IB { }",
        "protected C();|public abstract class C")]
    [InlineData("[Flags, Obsolete(\"old\")] public enum C : long { }",
        "[Flags] [Obsolete(\"old\")] public enum C : long")]
    [InlineData("class Inner { public class C { } }", "")]
    public void Surface_OfACase_IsSpelledOut(string text, string expected)
    {
        SourceModel model = new([Offender.At("src/P/C.cs", text)]);

        IEnumerable<string> lines = ApiSurface.Of(model, "src/P").Select(line => line.Split(": ", 2)[1]);

        Assert.Equal(expected, string.Join('|', lines.Order(StringComparer.Ordinal)));
    }
}
