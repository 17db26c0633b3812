using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

public sealed class StructureTests
{
    [Fact]
    public void Layers_OfTheLibrary_PointDownOnly() =>
        Repository.AssertNone(LayerRules.UpwardUse(Repository.Files.Where(file => file.IsCSharp)));

    [Fact]
    public void Names_OfTheLibrary_AreAllBound() =>
        Repository.AssertNone(LayerRules.UnboundName(Repository.Files.Where(file => file.IsCSharp)));

    [Fact]
    public void PublicTypes_OfTheLibrary_LieAtItsRoot() =>
        Repository.AssertNone(Repository.CSharp, PublicTypeRules.PublicTypeMisplaced);

    [Theory]
    [InlineData("Interop", "Trains")]
    [InlineData("Interop", "Buffers")]
    [InlineData("Interop", "Hashing")]
    [InlineData("Interop", "Sockets")]
    [InlineData("Interop", "Serving")]
    [InlineData("Trains", "Interop")]
    [InlineData("Trains", "Sockets")]
    [InlineData("Hashing", "Sockets")]
    [InlineData("Buffers", "Sockets")]
    [InlineData("Buffers", "Serving")]
    [InlineData("Sockets", "Waiting")]
    [InlineData("Sockets", "Serving")]
    [InlineData("Waiting", "Serving")]
    [InlineData("Diagnostics", "Sockets")]
    public void UpwardUse_HoweverWritten_IsRefused(string lower, string upper)
    {
        SourceFile used = Offender.At($"src/Spate/{upper}/Used.cs",
            $"namespace Spate.{upper};\ninternal sealed class Used {{ public static Used Make() => new(); }}");
        string[] bodies =
        [
            $"using Spate.{upper};\nnamespace Spate.{lower};\nclass C {{ Used? _used; }}",
            $"namespace Spate.{lower};\nclass C {{ object _used = {upper}.Used.Make(); }}",
        ];

        Assert.Equal(1, FirstLine(LayerRules.UpwardUse([used, User(bodies[0])])));
        Assert.Equal(2, FirstLine(LayerRules.UpwardUse([used, User(bodies[1])])));

        SourceFile User(string text) => Offender.At($"src/Spate/{lower}/User.cs", text);
    }

    [Theory]
    [InlineData("Sockets", "Trains")]
    [InlineData("Sockets", "Interop")]
    [InlineData("Buffers", "Interop")]
    [InlineData("Serving", "Sockets")]
    public void UpwardUse_OfALowerLayer_IsAllowed(string upper, string lower) =>
        Assert.Empty(LayerRules.UpwardUse(
        [
            Offender.At($"src/Spate/{lower}/Used.cs", $"namespace Spate.{lower};\nclass Used {{ }}"),
            Offender.At(
                $"src/Spate/{upper}/User.cs", $"using Spate.{lower};\nnamespace Spate.{upper};\nclass C : Used {{ }}"),
        ]));

    [Fact]
    public void UpwardUse_MemberOfAnUnnamedType_IsRefused()
    {
        SourceFile[] files =
        [
            Offender.At("src/Spate/Sockets/Used.cs", "namespace Spate.Sockets;\nclass Used { public int Field; }"),
            Offender.At(
                "src/Spate/Bridge.cs", "namespace Spate;\nclass Bridge { internal Sockets.Used Get() => new(); }"),
            Offender.At("src/Spate/Buffers/User.cs", """
                namespace Spate.Buffers;
                class C
                {
                    int M(Bridge bridge)
                    {
                        var used = bridge.Get();
                        return used.Field;
                    }
                }
                """),
        ];

        Assert.Contains(LayerRules.UpwardUse(files), offence => (offence.Path, offence.Line) ==
            ("src/Spate/Buffers/User.cs", 7));
    }

    [Theory]
    [InlineData("src/Spate/Datagram.cs", true)]
    [InlineData("src/Spate/Sockets/Mmsg/A.cs", true)]
    [InlineData("src/Spate/Serving/A.cs", false)]
    [InlineData("src/Spate/UdpSocket.Receive.cs", false)]
    [InlineData("src/Spate/UdpServer.cs", false)]
    public void UpwardUse_OfTheFace_IsRefusedBelowIt(string path, bool refused)
    {
        SourceFile face = Offender.At(
            "src/Spate/UdpSocket.cs", "namespace Spate;\npublic sealed partial class UdpSocket { }");
        SourceFile user = Offender.At(
            path, "namespace Spate.Other;\n/// <see cref=\"UdpSocket\"/>\nclass C { UdpSocket? _s; }");

        Assert.Equal(refused ? 3 : 0, FirstLine(LayerRules.UpwardUse([face, user])));
    }

    [Theory]
    [InlineData("src/Spate/Sockets/BackendSelector.cs", false)]
    [InlineData("src/Spate/Sockets/BackendSelector.Probes.cs", false)]
    [InlineData("src/Spate/Sockets/Mmsg/B.cs", false)]
    [InlineData("src/Spate/Sockets/Uring/B.cs", true)]
    [InlineData("src/Spate/Sockets/DatagramBackend.cs", true)]
    [InlineData("src/Spate/UdpSocket.cs", true)]
    public void UpwardUse_OfOneBackend_IsTheSelectorsAlone(string path, bool refused)
    {
        SourceFile backend = Offender.At(
            "src/Spate/Sockets/Mmsg/MmsgBackend.cs", "namespace Spate.Sockets.Mmsg;\nclass MmsgBackend { }");
        SourceFile user = Offender.At(
            path, "namespace Spate.Any;\nclass C { object _o = new Sockets.Mmsg.MmsgBackend(); }");

        Assert.Equal(refused ? 2 : 0, FirstLine(LayerRules.UpwardUse([backend, user])));
    }

    [Fact]
    public void UpwardUse_OfAPartForAllBackends_IsAllowed() =>
        Assert.Empty(LayerRules.UpwardUse(
        [
            Offender.At("src/Spate/Sockets/Readiness/R.cs", "namespace Spate.Sockets.Readiness;\nclass R { }"),
            Offender.At("src/Spate/Sockets/Mmsg/M.cs", "namespace Spate.Sockets.Mmsg;\nclass M : Readiness.R { }"),
        ]));

    [Fact]
    public void UpwardUse_UnknownFolder_IsRefused() =>
        Assert.Equal(1, FirstLine(LayerRules.UpwardUse([Offender.At("src/Spate/Extra/A.cs", "class C { }")])));

    [Fact]
    public void UnboundName_NotThere_IsFound() =>
        Assert.Equal(2, FirstLine(LayerRules.UnboundName(
            [Offender.At("src/Spate/A.cs", "class C\n{ Missing? _m; }")])));

    [Theory]
    [InlineData("src/Spate/Buffers/A.cs", "namespace Spate.Buffers;\npublic class A { }", 2)]
    [InlineData("src/Spate/Buffers/A.cs", "namespace Spate.Buffers;\nclass A { public class B { } }", 0)]
    [InlineData("src/Spate/A.cs", "public class A { public enum Inner { } }", 0)]
    [InlineData("src/Spate/A.Part.cs", "public partial class A { }\nclass Helper { }", 0)]
    [InlineData("src/Spate/A.cs", "public class A { }\npublic delegate void B();", 2)]
    [InlineData("src/Spate/A.cs", "namespace Spate\n{\n  class A { }\n}", 3)]
    [InlineData("src/Spate/A.cs", "public class Other { }", 1)]
    [InlineData("src/Spate.Cli/A.cs", "public class Other { }", 0)]
    public void PublicTypeMisplaced_Shapes_AreTold(string path, string text, int line) =>
        Assert.Equal(line, FirstLine(PublicTypeRules.PublicTypeMisplaced(Offender.At(path, text))));

    private static int FirstLine(IEnumerable<Offence> offences) => offences.FirstOrDefault()?.Line ?? 0;
}
