using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

public sealed class SizeTests
{
    [Fact]
    public void Files_OfTheRepository_KeepTheLineLimit() =>
        Repository.AssertNone(Repository.CSharp, SizeRules.LongFile);

    [Fact]
    public void Methods_OfTheRepository_KeepTheLineLimit() =>
        Repository.AssertNone(Repository.CSharp, SizeRules.LongMethod);

    [Fact]
    public void Lines_OfTheRepository_KeepTheWidthLimit() =>
        Repository.AssertNone(Repository.CSharp, SizeRules.LongLine);

    [Theory]
    [InlineData(SizeRules.MaxFileLines, false)]
    [InlineData(SizeRules.MaxFileLines + 1, true)]
    public void LongFile_AtTheLimit_CountsLines(int lines, bool refused)
    {
        string text = Offender.Repeat("// x", lines) + "\n";

        Assert.Equal(refused, SizeRules.LongFile(Offender.At("src/A.cs", text)).Any());
    }

    [Theory]
    [InlineData(SizeRules.MaxLineChars, false)]
    [InlineData(SizeRules.MaxLineChars + 1, true)]
    public void LongLine_AtTheLimit_CountsCharacters(int chars, bool refused)
    {
        string text = "// short\r\n" + new string('/', chars) + "\r\n";

        int[] lines = Offender.Lines(SizeRules.LongLine, "src/A.cs", text);

        Assert.Equal(refused ? [2] : [], lines);
    }

    [Theory]
    [InlineData("void M()\n{\n@\n}", 3)]
    [InlineData("int P\n{\nget\n{\n@\nreturn 1;\n}\n}", 7)]
    [InlineData("C()\n{\n@\n}", 3)]
    public void LongMethod_AtTheLimit_CountsAllOfIt(string member, int ownLines)
    {
        string Body(int lines) => "class C\n{\n" + member.Replace(
            "@", Offender.Repeat("int.Parse(\"1\");", lines - ownLines), StringComparison.Ordinal) + "\n}\n";

        Assert.Empty(Offender.Lines(SizeRules.LongMethod, "src/A.cs", Body(SizeRules.MaxMethodLines)));
        Assert.Equal([3], Offender.Lines(SizeRules.LongMethod, "src/A.cs", Body(SizeRules.MaxMethodLines + 1)));
    }

    [Fact]
    public void LongMethod_TopLevelProgram_IsAMethodToo()
    {
        string text = "using System;\n" + Offender.Repeat("Console.Beep();", SizeRules.MaxMethodLines + 1);

        Assert.Equal([2], Offender.Lines(SizeRules.LongMethod, "samples/A/Program.cs", text));
    }
}
