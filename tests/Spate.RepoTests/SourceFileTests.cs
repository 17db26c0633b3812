using Microsoft.CodeAnalysis;

namespace Spate.RepoTests;

public sealed class SourceFileTests
{
    [Fact]
    public void Tree_ReadByTwoThreadsAtOnce_IsOneTree()
    {
        const int FileCount = 200;
        string text = string.Concat(Enumerable.Repeat("class C { void M() { } }\n", 50));
        SourceFile[] files = [.. Enumerable.Range(0, FileCount).Select(i => new SourceFile($"{i}.cs", text))];
        var others = new SyntaxTree[FileCount];
        using Barrier start = new(2);
        var other = new Thread(() =>
        {
            for (int i = 0; i < FileCount; i++)
            {
                start.SignalAndWait();
                others[i] = files[i].Tree;
            }
        });
        other.Start();
        SyntaxTree[] own = [.. files.Select(file =>
        {
            start.SignalAndWait();
            return file.Tree;
        })];
        other.Join();

        Assert.Equal(own, others);
    }
}
