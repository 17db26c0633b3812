using Spate.Build;
using Spate.Build.Mutants;

namespace Spate.RepoTests;

/// <summary>Lists and results that were written by hand, or by a run that did not come to its end.</summary>
public sealed class MutantFileTests : IDisposable
{
    private const string Whole = """{"symbol":"A.M","kind":"call","ordinal":0,"text":"F();"}""";
    private const string Part = """{"symbol":"A.{}""";

    private readonly string _path = Path.GetTempFileName();

    public void Dispose() => File.Delete(_path);

    [Fact]
    public void ReadResults_RunThatWasEndedWhileItWrote_HasTheWholeLines()
    {
        File.WriteAllText(_path, Whole + "\n" + Part);

        Assert.Equal([Whole], MutantFile.ReadResults(_path).Select(MutantFile.LineOf));
        Assert.Throws<BuildException>(() => MutantFile.Read(_path));
    }

    [Fact]
    public void Append_RunThatWasEndedWhileItWrote_TakesThePlaceOfThePart()
    {
        File.WriteAllText(_path, Whole + "\n" + Part);

        MutantFile.Append(_path, MutantFile.ReadResults(_path)[0]);

        Assert.Equal([Whole, Whole], File.ReadAllLines(_path));
    }

    [Theory]
    [InlineData(Part)]
    [InlineData("")]
    [InlineData("null")]
    [InlineData("{}")]
    [InlineData("""{"symbol":null,"kind":"call","ordinal":0,"text":"F();"}""")]
    [InlineData("""{"symbol":"A.M","kind":7,"ordinal":0,"text":"F();"}""")]
    [InlineData("""{"symbol":"A.M","kind":"call","ordinal":-1,"text":"F();"}""")]
    public void ReadResults_BrokenLine_IsRefusedByItsNumber(string line)
    {
        File.WriteAllText(_path, $"{Whole}\n{line}\n");

        var fault = Assert.Throws<BuildException>(() => MutantFile.ReadResults(_path));

        Assert.Contains("line 2", fault.Message, StringComparison.Ordinal);
    }
}
