using Spate.RepoTests.Rules;

namespace Spate.RepoTests;

public sealed class SpellingTests
{
    [Fact]
    public void Bounds_OfTheRepository_AreCalledMaxOrMin() =>
        Repository.AssertNone(Repository.CSharp, SpellingRules.BoundOtherwiseNamed);

    [Fact]
    public void Ifs_OfTheRepository_AreWrittenOneWay() =>
        Repository.AssertNone(Repository.CSharp, SpellingRules.IfOtherwiseWritten);

    [Fact]
    public void Constants_OfTheRepository_ComeFirst() =>
        Repository.AssertNone(Repository.CSharp, SpellingRules.ConstantInMidType);

    [Fact]
    public void Comments_OfTheRepository_AreNotAboveInheritdoc() =>
        Repository.AssertNone(Repository.CSharp, SpellingRules.CommentAboveInheritdoc);

    [Theory]
    [InlineData("const int BytesMax = 1;", true)]
    [InlineData("static readonly int BytesMax = 1;", true)]
    [InlineData("const int MaximumBytes = 1;", true)]
    [InlineData("const int MostThreads = 1;", true)]
    [InlineData("static readonly int LargestGroup = 1;", true)]
    [InlineData("int DelayMin { get; }", true)]
    [InlineData("void M(int countMax) { }", true)]
    [InlineData("void M() { int maximumLength = 1; }", true)]
    [InlineData("void M() { foreach (int countMax in new[] { 1 }) { } }", true)]
    [InlineData("const int MaxBytes = 1;", false)]
    [InlineData("int MostPerCall { get; }", false)]
    [InlineData("int Max { get; }", false)]
    [InlineData("int M() => int.MaxValue;", false)]
    [InlineData("int Climax;", false)]
    [InlineData("bool IsMaximum { get; }", false)]
    public void BoundOtherwiseNamed_EachForm_IsRefused(string member, bool refused)
    {
        string text = $"class C\n{{\n{member}\n}}";

        Assert.Equal(refused ? [3] : [], Offender.Lines(SpellingRules.BoundOtherwiseNamed, "src/Spate/A.cs", text));
        Assert.Empty(Offender.Lines(SpellingRules.BoundOtherwiseNamed, "src/Spate/Interop/Linux/A.cs", text));
    }

    [Theory]
    [InlineData("if (a) return;", false)]
    [InlineData("if (a)\n{\nreturn;\n}", true)]
    [InlineData("if (a)\nreturn;", true)]
    [InlineData("if (a) M(\n1);", true)]
    [InlineData("if (a)\n{\nM(\n1);\n}", false)]
    [InlineData("if (a)\n{\n// why\nreturn;\n}", false)]
    [InlineData("if (a)\n{\nreturn;\n}\nelse\n{\nM(1);\n}", false)]
    [InlineData("if (a)\n{\nint b = 1;\n}", false)]
    [InlineData("if (a)\n{\nM(1);\nreturn;\n}", false)]
    [InlineData("if (a\n&& a)\n{\nreturn;\n}", false)]
    public void IfOtherwiseWritten_EachForm_IsRefused(string statement, bool refused) =>
        Assert.Equal(refused ? [2] : [], Offender.Lines(
            SpellingRules.IfOtherwiseWritten, "src/A.cs", $"class C {{ void M(bool a) {{\n{statement}\n}} }}"));

    [Theory]
    [InlineData(84, true)]
    [InlineData(85, false)]
    public void IfOtherwiseWritten_AtTheWidth_NeedsItsBraces(int nameChars, bool refused)
    {
        string call = new string('a', nameChars) + "(1234567890);";
        string statement = $"        if (a == true)\n        {{\n            {call}\n        }}";
        string text = $"class C {{ void M(bool a) {{\n{statement}\n}} }}";

        Assert.Equal(SizeRules.MaxLineChars + (refused ? 0 : 1), $"        if (a == true) {call}".Length);
        Assert.Equal(refused ? [2] : [], Offender.Lines(SpellingRules.IfOtherwiseWritten, "src/A.cs", text));
    }

    [Theory]
    [InlineData("const int A = 1;\nstatic readonly int B = 1;\nint _c;\nvoid M() { }", 0)]
    [InlineData("int _c;\nconst int A = 1;", 3)]
    [InlineData("void M() { }\nstatic readonly int B = 1;", 3)]
    [InlineData("static int B = 1;\nint _c;", 0)]
    [InlineData("const int A = 1;\nclass D\n{\nconst int B = 1; }", 0)]
    public void ConstantInMidType_BehindOtherMembers_IsRefused(string members, int line)
    {
        string text = $"class C {{\n{members}\n}}";

        Assert.Equal(line == 0 ? [] : [line], Offender.Lines(SpellingRules.ConstantInMidType, "src/Spate/A.cs", text));
        Assert.Empty(Offender.Lines(SpellingRules.ConstantInMidType, "src/Spate/Interop/A.cs", text));
    }

    [Theory]
    [InlineData("// Why.\n/// <inheritdoc/>\nint M();", true)]
    [InlineData("/// <remarks>Why.</remarks>\n/// <inheritdoc/>\nint M();", true)]
    [InlineData("/// <summary>As A.</summary>\n/// <inheritdoc cref=\"A\"/>\nint M();", false)]
    [InlineData("// About a group.\n\n/// <inheritdoc/>\nint M();", false)]
    public void CommentAboveInheritdoc_OfAMember_IsRefused(string member, bool refused) =>
        Assert.Equal(refused ? [2] : [], Offender.Lines(
            SpellingRules.CommentAboveInheritdoc, "src/A.cs", $"interface I {{\n{member}\n}}"));
}
