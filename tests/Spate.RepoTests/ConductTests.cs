using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

public sealed class ConductTests
{
    private static IEnumerable<SourceFile> Tests => Repository.CSharp.Where(file => file.IsUnder("tests"));

    [Fact]
    public void TestNames_OfTheRepository_HaveTheirParts() =>
        Repository.AssertNone(Tests, TestRules.NameWithoutUnderscore);

    [Fact]
    public void Tests_OfTheRepository_AreNotSkippedForEver() =>
        Repository.AssertNone(Tests, TestRules.ConstantSkip);

    [Fact]
    public void Tests_OfTheRepository_DoNotSleep() =>
        Repository.AssertNone(Tests, TestRules.Sleep);

    [Fact]
    public void TestsThatRunAlone_OfTheRepository_NeedIt() =>
        Repository.AssertNone(Tests, TestRules.GroupWithoutNeed);

    [Theory]
    [InlineData("[ProcessWide(\"memory of the process\")] class A { long M() => GC.GetTotalMemory(true); }", false)]
    [InlineData("[ProcessWide(\"\")] class A { long M() => GC.GetTotalMemory(true); }", true)]
    [InlineData("[ProcessWide(\"memory of the process\")] class A { }", true)]
    [InlineData("[QuietHost(\"settings are changed\")] class A { HostSetting _a; }", false)]
    [InlineData("[QuietHost] class A { HostSetting _a; }", true)]
    [InlineData("using Spate.Measurement.Bench; [QuietHost(\"CPUs are loaded\")] class A { }", true)]
    [InlineData("[QuietHost(\"CPUs are loaded\")] class A { void M() => Run(\"bench\", \"drain\"); }", false)]
    [InlineData("[QuietHost(\"CPUs are loaded\")] class A { void M() => Run(\"a bench\"); }", true)]
    [InlineData("[QuietHost(\"settings are changed\")] class A { } // HostSetting", true)]
    [InlineData("[ProcessWide(\"memory of the GC\")] class A { void GC() { } }", true)]
    public void GroupWithoutNeed_OfAClass_IsRefused(string text, bool refused) =>
        Assert.Equal(refused ? [1] : [], Offender.Lines(TestRules.GroupWithoutNeed, "tests/T/A.cs", text));

    [Theory]
    [InlineData("[Fact] public void Works() { }", true)]
    [InlineData("[Xunit.Theory, InlineData(1)] public void Works(int a) { }", true)]
    [InlineData("[Fact] public void It_Works() { }", false)]
    [InlineData("public void Helper() { }", false)]
    public void NameWithoutUnderscore_OfATest_IsRefused(string method, bool refused) =>
        Assert.Equal(refused ? [2] : [], Offender.Lines(
            TestRules.NameWithoutUnderscore, "tests/T/A.cs", $"class C {{\n{method}\n}}"));

    [Theory]
    [InlineData("[Fact(Skip = \"later\")]", true)]
    [InlineData("[Theory(Skip = \"later\")]", true)]
    [InlineData("[Fact(Timeout = 5)]", false)]
    [InlineData("[Fact]", false)]
    public void ConstantSkip_OfATest_IsRefused(string attribute, bool refused) =>
        Assert.Equal(refused ? [2] : [], Offender.Lines(
            TestRules.ConstantSkip, "tests/T/A.cs", $"class C {{\n{attribute} public void A_B() {{ }}\n}}"));

    [Theory]
    [InlineData("Thread.Sleep(1);", true)]
    [InlineData("System.Threading.Thread.Sleep(1);", true)]
    [InlineData("await Task.Delay(1);", true)]
    [InlineData("Func<int, Task> f = Task.Delay;", true)]
    [InlineData("string s = \"Thread.Sleep(1)\";", false)]
    [InlineData("bed.Sleep(1);", false)]
    public void Sleep_InATest_IsRefused(string statement, bool refused) =>
        Assert.Equal(refused ? [2] : [], Offender.Lines(
            TestRules.Sleep, "tests/T/A.cs", $"class C {{ async void M() {{\n{statement}\n}} }}"));
}
