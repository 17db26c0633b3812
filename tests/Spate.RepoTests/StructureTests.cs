using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

public sealed class StructureTests
{
    [Fact]
    public void Layers_OfTheLibrary_PointDownOnly()
    {
        IReadOnlyList<Arrow> arrows = LayerRules.Arrows(SourceModel.Projects);
        Arrow[] found = [.. LayerRules.Upward(arrows), .. LayerRules.Circular(arrows)];

        Assert.NotEmpty(arrows);
        Assert.True(found.Length == 0,
            $"{found.Length} arrows point upward or close a circle:\n" +
            string.Join('\n', found.Select(arrow => arrow.ToString()).Order(StringComparer.Ordinal)));
    }

    [Fact]
    public void Types_OfTheLibrary_HaveALayerEach() =>
        Repository.AssertNone(LayerRules.WithoutLayer(SourceModel.Projects));

    [Fact]
    public void Names_OfTheProjects_AreAllBound() =>
        Repository.AssertNone(SourceModel.Projects.UnboundNames());

    [Fact]
    public void PublicTypes_OfTheLibrary_LieAtTheRootOfTheirNamespace() =>
        Repository.AssertNone(Repository.CSharp, PublicTypeRules.PublicTypeMisplaced);

    [Theory]
    [InlineData("Interop/Linux", "Segmentation")]
    [InlineData("Interop/Linux", "Buffers")]
    [InlineData("Hashing", "Buffers")]
    [InlineData("Segmentation", "Sockets")]
    [InlineData("Buffers", "Sockets")]
    [InlineData("Diagnostics", "Sockets")]
    [InlineData("Messages", "Sockets/Mmsg")]
    [InlineData("Sockets", "Sockets/Mmsg")]
    [InlineData("Sockets/Mmsg", "Sockets/Uring")]
    [InlineData("Sockets/Uring", "Sockets/Mmsg")]
    [InlineData("Sockets", "Waiting")]
    [InlineData("Sockets/Portable", "Waiting")]
    [InlineData("Diagnostics", "Serving/Lifetime")]
    [InlineData("Waiting", "Serving")]
    public void Upward_HoweverWritten_IsFound(string lower, string upper)
    {
        SourceFile used = Offender.At(
            $"src/Spate/{upper}/Used.cs", "namespace Spate.U;\nclass Used { public static Used Make() => new(); }");
        foreach (string body in (string[])["Used? _used;", "object _o = U.Used.Make();", "object _o = new Used();"])
        {
            SourceFile user = Offender.At(
                $"src/Spate/{lower}/User.cs", $"using Spate.U;\nnamespace Spate;\nclass C {{\n{body}\n}}");

            Arrow arrow = Assert.Single(Upward(used, user));
            Assert.Equal(3, arrow.At.GetLineSpan().StartLinePosition.Line);
        }
    }

    [Theory]
    [InlineData("Sockets", "Segmentation")]
    [InlineData("Sockets/Mmsg", "Sockets")]
    [InlineData("Buffers", "Interop/Linux")]
    [InlineData("Waiting", "Sockets")]
    [InlineData("Serving/Shards", "Waiting")]
    public void Upward_OfALowerLayer_IsNone(string upper, string lower) =>
        Assert.Empty(Upward(
            Offender.At($"src/Spate/{lower}/Used.cs", "namespace Spate;\nclass Used { }"),
            Offender.At($"src/Spate/{upper}/User.cs", "namespace Spate;\nclass C : Used { }")));

    [Theory]
    [InlineData("int M(Bridge bridge)\n{\nvar used = bridge.Get();\nreturn used.Field;\n}")]
    [InlineData("object _kind = UdpKind.Old;")]
    [InlineData("Bridge.Inner? _inner;")]
    public void Upward_MemberOfAnUnnamedType_IsFound(string body) =>
        Assert.NotEmpty(Upward(
            Offender.At("src/Spate/Sockets/Used.cs", "namespace Spate.Sockets;\nclass Used { public int Field; }"),
            Offender.At("src/Spate/Sockets/UdpKind.cs", "namespace Spate;\nenum UdpKind { Old }"),
            Offender.At("src/Spate/Waiting/Bridge.cs",
                "namespace Spate;\nclass Bridge { public class Inner; internal Sockets.Used Get() => new(); }"),
            Offender.At("src/Spate/Buffers/User.cs", $"namespace Spate.Buffers;\nclass C {{\n{body}\n}}")));

    [Theory]
    [InlineData("src/Spate/UdpCounters.cs", "UdpCounters", true)]
    [InlineData("src/Spate/Sockets/Mmsg/A.cs", "A", true)]
    [InlineData("src/Spate/Waiting/A.cs", "A", true)]
    [InlineData("src/Spate/UdpPoller.cs", "UdpPoller", false)]
    [InlineData("src/Spate/UdpSocket.Receive.cs", "UdpSocket", false)]
    public void Upward_OfTheFace_IsFoundBelowIt(string path, string name, bool found)
    {
        SourceFile face = Offender.At(
            "src/Spate/UdpSocket.cs", "namespace Spate;\npublic sealed partial class UdpSocket { }");
        SourceFile user = Offender.At(
            path, $"namespace Spate;\n/// <see cref=\"UdpSocket\"/>\npartial class {name} {{ UdpSocket? _s; }}");

        Assert.Equal(found, Upward(face, user).Any());
    }

    [Fact]
    public void Upward_OfAServer_IsFoundInAFace() =>
        Assert.NotEmpty(Upward(
            Offender.At("src/Spate/Serving/UdpServer.cs", "namespace Spate.Serving;\npublic class UdpServer { }"),
            Offender.At("src/Spate/UdpSocket.cs", "namespace Spate;\nclass UdpSocket { Serving.UdpServer? _s; }")));

    [Fact]
    public void Upward_OfTheSelector_IsTheOnlyNameOfABackend()
    {
        SourceFile backend = Offender.At("src/Spate/Sockets/Mmsg/M.cs", "namespace Spate;\nclass M { }");

        Assert.Empty(Upward(backend, Offender.At(
            "src/Spate/Sockets/BackendSelector.Probes.cs", "namespace Spate;\nclass BackendSelector { M? _m; }")));
        Assert.NotEmpty(Upward(backend, Offender.At(
            "src/Spate/Sockets/BackendSelector.cs", "namespace Spate;\nclass Another { M? _m; }")));
    }

    [Theory]
    [InlineData("Buffers", "Segmentation", true)]
    [InlineData("Messages", "Messages", false)]
    [InlineData("Messages", "Interop/Linux", false)]
    public void Circular_PartsOfALayerUseEachOther_IsFound(string one, string other, bool found)
    {
        SourceModel model = new(
        [
            Offender.At($"src/Spate/{one}/A.cs", "namespace Spate;\nclass A { D? _b; }\nclass B { }"),
            Offender.At($"src/Spate/{other}/C.cs", "namespace Spate;\nclass C { B? _a; }\nclass D { }"),
        ]);

        Assert.Equal(found ? 2 : 0, LayerRules.Circular(LayerRules.Arrows(model)).Count());
    }

    [Theory]
    [InlineData("src/Spate/Extra/A.cs", "class A { }", true)]
    [InlineData("src/Spate/New.cs", "public class New { }", true)]
    [InlineData("src/Spate/Buffers/A.cs", "class A { }", false)]
    public void WithoutLayer_UnknownFolderOrType_IsFound(string path, string text, bool found) =>
        Assert.Equal(found, LayerRules.WithoutLayer(new SourceModel([Offender.At(path, text)]))
            .Any(offence => offence.Path == path));

    [Fact]
    public void UnboundName_NotThere_IsFound() =>
        Assert.Equal(2, FirstLine(new SourceModel(
            [Offender.At("src/Spate/A.cs", "class C\n{ Missing? _m; }")]).UnboundNames()));

    [Theory]
    [InlineData("Made", "Default", 0)]
    [InlineData("Made", "Default.Report", 0)]
    [InlineData("Plain", "Default", 2)]
    [InlineData("Made", "Kept.Missing", 2)]
    public void UnboundName_OfAGeneratedMember_IsLeftOut(string type, string member, int line) =>
        Assert.Equal(line, FirstLine(new SourceModel([Offender.At("src/Spate/A.cs", $$"""
            class C {
            object _m = {{type}}.{{member}}; }
            class Plain { }
            partial class Made : System.Text.Json.Serialization.JsonSerializerContext
            {
            public static Plain Kept = new();
            }
            """)]).UnboundNames()));

    [Theory]
    [InlineData("src/Spate/Buffers/A.cs", "namespace Spate.Buffers;\npublic class A { }", 2)]
    [InlineData("src/Spate/Buffers/A.cs", "namespace Spate.Buffers;\nclass A { public class B { } }", 0)]
    [InlineData("src/Spate/A.cs", "public class A { public enum Inner { } }", 0)]
    [InlineData("src/Spate/A.Part.cs", "public partial class A { }\nclass Helper { }", 0)]
    [InlineData("src/Spate/A.cs", "public class A { }\npublic delegate void B();", 2)]
    [InlineData("src/Spate/A.cs", "namespace Spate\n{\n  class A { }\n}", 3)]
    [InlineData("src/Spate/A.cs", "public class Other { }", 1)]
    [InlineData("src/Spate/Serving/A.cs", "public class A { }", 0)]
    [InlineData("src/Spate/Serving/A.cs", "class A { }", 1)]
    [InlineData("src/Spate/Serving/Shards/A.cs", "public class A { }", 1)]
    [InlineData("src/Spate.Cli/A.cs", "public class Other { }", 0)]
    public void PublicTypeMisplaced_Shapes_AreTold(string path, string text, int line) =>
        Assert.Equal(line, FirstLine(PublicTypeRules.PublicTypeMisplaced(Offender.At(path, text))));

    private static IEnumerable<Arrow> Upward(params IEnumerable<SourceFile> files) =>
        LayerRules.Upward(LayerRules.Arrows(new SourceModel(files)));

    private static int FirstLine(IEnumerable<Offence> offences) => offences.FirstOrDefault()?.Line ?? 0;
}
