using Spate.Build.Mutants;

namespace Spate.RepoTests;

/// <summary>Tests whose failure a trial of a mutant counts.</summary>
public sealed class SuiteRunTests
{
    private const string Collection = "\"TestCollectionUniqueID\":\"1\"";
    private const string Class = Collection + ",\"TestClassUniqueID\":\"2\"";
    private const string Method = Class + ",\"TestMethodUniqueID\":\"3\"";

    [Theory]
    [InlineData("test-failed", Method, "A.B.C")]
    [InlineData("test-cleanup-failure", Method, "A.B.C")]
    [InlineData("test-class-cleanup-failure", Class, "A.B.*")]
    [InlineData("test-collection-cleanup-failure", Collection, "A.B.*")]
    [InlineData("test-assembly-cleanup-failure", "\"AssemblyUniqueID\":\"0\"", "A.B.C")]
    [InlineData("error", "\"Messages\":[\"fault\"]", "A.B.C")]
    [InlineData("test-finished", Method, null)]
    public void Take_Failure_IsThatOfItsMethodOrClassOrTheLastTest(string type, string properties, string? failed)
    {
        var run = new SuiteRun();
        run.Take($$"""{"$type":"test-class-starting",{{Class}},"TestClassName":"A.B"}""");
        run.Take($$"""{"$type":"test-method-starting",{{Method}},"MethodName":"C"}""");

        run.Take($$"""{"$type":"{{type}}",{{properties}}}""");

        Assert.Equal(failed is null ? [] : [failed], run.Failed);
    }
}
