using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

public sealed class MirrorTests
{
    [Fact]
    public void Folders_OfTheTests_AreThoseOfTheSources() =>
        Repository.AssertNone(MirrorRules.FolderWithoutCounterpart(Repository.Files));

    [Fact]
    public void Tests_OfAType_LieInItsFolder() =>
        Repository.AssertNone(MirrorRules.TestsElsewhere(Repository.Files));

    [Fact]
    public void Names_OfTestClasses_AreGivenOnce() =>
        Repository.AssertNone(MirrorRules.NameTwice(Repository.Files));

    [Theory]
    [InlineData("tests/Spate.Tests/Buffers/ATests.cs", false)]
    [InlineData("tests/Spate.Tests/Serving/Shards/ATests.cs", false)]
    [InlineData("tests/Spate.Tests/Gateway/Pipelines/ATests.cs", false)]
    [InlineData("tests/Spate.HostTests/Serving/Shards/ATests.cs", false)]
    [InlineData("tests/Spate.HostTests/Namespaces/ATests.cs", false)]
    [InlineData("tests/Spate.HostTests/Shards/ATests.cs", true)]
    [InlineData("tests/Spate.Tests/ATests.cs", false)]
    [InlineData("tests/Spate.Tests/Shards/ATests.cs", true)]
    public void FolderWithoutCounterpart_OfTests_IsFound(string path, bool found) => Assert.Equal(found,
        MirrorRules.FolderWithoutCounterpart(
        [
            Offender.At("src/Spate/Buffers/A.cs", ""), Offender.At("src/Spate/Serving/Shards/B.cs", ""),
            Offender.At("src/Spate.Gateway/Pipelines/C.cs", ""),
            Offender.At(path, "class ATests { }"),
        ]).Any());

    [Theory]
    [InlineData("tests/Spate.Tests/Buffers/ATests.cs", "class ATests { }", false)]
    [InlineData("tests/Spate.Tests/Buffers/ATests.cs", "class OtherTests { }", false)]
    [InlineData("tests/Spate.Tests/ATests.cs", "class ATests { }", true)]
    [InlineData("tests/Spate.Tests/UdpTests.cs", "class UdpTests { }", false)]
    [InlineData("tests/Spate.Tests/Buffers/UdpTests.cs", "class UdpTests { }", true)]
    [InlineData("tests/Spate.HostTests/Buffers/UdpTests.cs", "class UdpTests { }", true)]
    public void TestsElsewhere_ThanTheirType_AreFound(string path, string text, bool found) => Assert.Equal(found,
        MirrorRules.TestsElsewhere(
        [
            Offender.At("src/Spate/Buffers/A.cs", "class A { }"), Offender.At("src/Spate/Udp.cs", "class Udp { }"),
            Offender.At(path, text),
        ]).Any());

    [Theory]
    [InlineData("tests/Spate.Tests/A/C.cs", "tests/Spate.Tests/B/C.cs", 2)]
    [InlineData("tests/Spate.Tests/A/C.cs", "tests/Spate.CliTests/C.cs", 2)]
    [InlineData("tests/Spate.Tests/A/C.cs", "tests/Spate.Tests/A/C.Part.cs", 0)]
    public void NameTwice_OfTestClasses_IsFound(string one, string other, int count) =>
        Assert.Equal(count, MirrorRules.NameTwice(
            [Offender.At(one, "partial class CTests { }"), Offender.At(other, "partial class CTests { }")]).Count());
}
