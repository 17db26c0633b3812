namespace Spate.RepoTests;

/// <summary>Invented files that break a rule, or just keep it: a rule that cannot fail would guard nothing.</summary>
internal static class Offender
{
    public static SourceFile At(string path, string text) => new(path, text);

    /// <summary>The lines at which a rule complains about a file, in order.</summary>
    public static int[] Lines(Func<SourceFile, IEnumerable<Offence>> rule, string path, string text) =>
        [.. rule(At(path, text)).Select(offence => offence.Line)];

    public static string Repeat(string line, int count) =>
        string.Join('\n', Enumerable.Repeat(line, count));
}
