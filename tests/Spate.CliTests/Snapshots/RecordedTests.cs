namespace Spate.CliTests.Snapshots;

public sealed class RecordedTests
{
    [Theory]
    [InlineData("a b c", "a b c", "")]
    [InlineData("a b c", "a c", "-    2: b")]
    [InlineData("a c", "a b c", "+    2: b")]
    [InlineData("a b c", "a x c", "-    2: b|+    2: x")]
    [InlineData("a b c d", "b c e d", "-    1: a|+    3: e")]
    [InlineData("", "a", "-    1: |+    1: a")]
    public void Of_TwoTexts_NamesTheLinesThatDiffer(string before, string after, string expected) =>
        Assert.Equal(expected, string.Join('|', LineDifference.Of(before.Split(' '), after.Split(' '))));

    [Fact]
    public void DifferencesOf_Folders_NamesFilesThatDifferOrAreMissing()
    {
        Dictionary<string, string> recorded = Texts(("same", "a\n"), ("other", "a\n"), ("gone", "a\n"));
        Dictionary<string, string> texts = Texts(("same", "a\n"), ("other", "b\n"), ("new", ""));

        Assert.Equal(
            "gone.txt\n-    1: a\n-    2: \nnew.txt\n+    1: \nother.txt\n-    1: a\n+    1: b\n",
            Recorded.DifferencesOf(recorded, texts));
    }

    private static Dictionary<string, string> Texts(params (string Name, string Text)[] files) => files.ToDictionary(
        static file => file.Name, static file => file.Text, StringComparer.Ordinal);
}
