using System.Reflection;
using System.Text.RegularExpressions;
using Spate.Cli;
using Spate.Cli.Shell.Terminal;

namespace Spate.CliTests.Shell.Terminal;

/// <summary>Tables on terminals of any width: no line is too long, and no cell is cut.</summary>
public sealed class TableTests
{
    private const int MinWidth = 40;
    private const int MaxWidth = 200;

    private static readonly Table<(string Name, string Count, string Note)> Table = new(
        new("name", Align.Left, 0, static row => row.Name),
        new("times more", Align.Right, 1, static row => row.Count),
        new("note", Align.Left, 2, static row => row.Note));

    /// <summary>The declarations of all tables of the program; each is a static field.</summary>
    public static TheoryData<string> Declarations => [.. Fields().Select(NameOf)];

    [Theory, MemberData(nameof(Declarations))]
    public void Fit_EveryDeclaredTable_CutsNothingAtAnyWidth(string name)
    {
        FieldInfo field = Assert.Single(Fields(), field => NameOf(field).Equals(name, StringComparison.Ordinal));
        object table = field.GetValue(null)!;
        var columns = (IReadOnlyList<Column>)table.GetType().GetProperty("Columns")!.GetValue(table)!;
        int seed = Environment.TickCount;
        TestContext.Current.TestOutputHelper!.WriteLine($"seed {seed}");
        var random = new Random(seed);
        for (int width = MinWidth; width <= MaxWidth; width++)
        {
            string[][] rows = [.. Enumerable.Range(0, 1 + random.Next(4)).Select(_ => Cells(columns, random))];
            Check(FittedTable.Of(columns, rows, width), columns, rows, width);
        }
    }

    [Fact]
    public void Declarations_AllCommands_AreFound() => Assert.InRange(Fields().Count(), 15, 100);

    [Theory]
    [InlineData(24, "name  times more  note|a            1.5  old", null)]
    [InlineData(19, "name  times  note|       more|a       1.5  old", null)]
    [InlineData(15, "name times note|      more|a      1.5 old", null)]
    [InlineData(14, "name  times|       more|a       1.5", "note")]
    [InlineData(8, "name|a", "times more, note")]
    [InlineData(3, "nam|e:|a|tim|es|mor|e:|1.5|not|e:|old", null)]
    public void Fit_NarrowerTerminal_GivesUpSpacingThenHeadersThenColumns(int width, string expected, string? leftOut)
    {
        FittedTable fitted = Table.Fit([("a", "1.5", "old")], width);

        Assert.Equal(expected, string.Join('|', [.. fitted.HeaderLines, .. fitted.RowLines]));
        Assert.Equal(leftOut ?? "", string.Join(", ", fitted.LeftOut));
    }

    [Fact]
    public void Fit_ColumnWithoutValues_LeavesFirstAndIsNotNamed()
    {
        FittedTable fitted = Table.Fit([("a", "-", "old"), ("b", "", "new")], width: 12);

        Assert.Equal(["name  note", "a     old", "b     new"], [.. fitted.HeaderLines, .. fitted.RowLines]);
        Assert.Null(fitted.LeftOutLine);
    }

    [Fact]
    public void Fit_ColumnsWithAndWithoutValues_NamesOnlyThoseWithValues()
    {
        FittedTable fitted = Table.Fit([("a", "-", "old"), ("b", "", "new")], width: 8);

        Assert.Equal(["name", "a", "b"], [.. fitted.HeaderLines, .. fitted.RowLines]);
        Assert.Equal("left out: note (use a wider terminal or --json)", fitted.LeftOutLine);
    }

    [Theory]
    [InlineData("-", "name", "a", "b")]
    [InlineData("5", "name  cycles", "a          5", "b          -")]
    public void Fit_ColumnThatHidesIfEmpty_IsShownWhereARowHasAValue(string cell, params string[] lines)
    {
        Table<(string Name, string Cycles)> table = new(
            new("name", Align.Left, 0, static row => row.Name),
            new("cycles", Align.Right, 1, static row => row.Cycles, HidesIfEmpty: true));

        FittedTable fitted = table.Fit([("a", cell), ("b", "-")], width: null);

        Assert.Equal<string>(lines, [.. fitted.HeaderLines, .. fitted.RowLines]);
        Assert.Null(fitted.LeftOutLine);
    }

    [Fact]
    public void Fit_NoTerminal_HasAnyWidth()
    {
        string longCell = new('w', 190);

        FittedTable fitted = Table.Fit([("[red]x[/]\u001b[0m", "1", ""), (longCell, "1,000", "")], width: null);

        Assert.StartsWith("[red]x[/]\\u001b[0m ", fitted.RowLines[0], StringComparison.Ordinal);
        Assert.Equal(fitted.RowLines[0].Length, fitted.RowLines[1].Length);
        Assert.EndsWith("1,000", fitted.RowLines[1], StringComparison.Ordinal);
    }

    [Fact]
    public void Fit_WrappedColumn_ContinuesBelowItself()
    {
        var table = new Table<string>(
            new("n", Align.Right, 0, static _ => "1"), new("why", Align.Wrapped, 0, static text => text));

        FittedTable fitted = table.Fit(["one two three four five six seven eight nine"], width: 30);

        Assert.Equal(["1  one two three four five six", "   seven eight nine"], fitted.RowLines);
    }

    [Theory]
    [InlineData(19, 1)]
    [InlineData(14, 2)]
    public void RowByRow_TerminalChangesItsWidth_RepeatsTheHeadersOfOtherColumns(int laterWidth, int headerCount)
    {
        var output = new StringWriter();
        int columns = 20;
        var table = new Table<int>(
            new("first", Align.Right, 0, static row => $"{row}", MinWidth: 8),
            new("second", Align.Right, 1, static row => row == 2 ? "" : $"{row}", MinWidth: 8));
        var rows = new RowByRow<int>(
            table, new TerminalWriter(output, () => new TerminalSize(columns, 24), TerminalStyle.Dumb));

        rows.Add(1);
        columns = laterWidth;
        rows.Add(2);
        rows.Add(3);

        Assert.Equal(headerCount, Regex.Count(output.ToString(), "first", RegexOptions.NonBacktracking));
    }

    private static void Check(FittedTable fitted, IReadOnlyList<Column> columns, string[][] rows, int width)
    {
        string[] lines = [.. fitted.HeaderLines, .. fitted.RowLines];
        Assert.All(lines, line => Assert.InRange(line.Length, 0, width));

        // By index, since two columns may have the same header: those left out are named from left to right.
        bool[] isLeftOut = LeftOut(fitted, columns, rows);
        string text = string.Join(' ', lines.SelectMany(static line => line.Split(' ')));
        for (int i = 0; i < columns.Count; i++)
        {
            Assert.False(isLeftOut[i] && columns[i].Priority == 0, $"{columns[i].Header} must be shown");
            Assert.All(rows, row => Assert.All(
                row[i].Split(' '),
                word => Assert.Equal(!isLeftOut[i], text.Contains(word, StringComparison.Ordinal))));
        }
    }

    /// <summary>Of random cells, all different, a column is left out where its first cell is not to be seen.</summary>
    private static bool[] LeftOut(FittedTable fitted, IReadOnlyList<Column> columns, string[][] rows)
    {
        string text = string.Join('\n', fitted.RowLines);
        bool[] isLeftOut =
            [.. columns.Select((_, i) => !text.Contains(rows[0][i].Split(' ')[0], StringComparison.Ordinal))];
        Assert.Equal(fitted.LeftOut.Count, isLeftOut.Count(static leftOut => leftOut));
        int lowestLeftOut = columns.Where((_, i) => isLeftOut[i]).Select(static column => column.Priority)
            .DefaultIfEmpty(int.MaxValue).Min();
        Assert.All(columns.Where((_, i) => !isLeftOut[i]), column => Assert.InRange(column.Priority, 0, lowestLeftOut));
        return isLeftOut;
    }

    // Each word is framed, so that none is part of another.
    private static string[] Cells(IReadOnlyList<Column> columns, Random random) =>
    [
        .. columns.Select(column => string.Join(' ', Enumerable.Range(0, column.Align switch
        {
            Align.Wrapped => 1 + random.Next(8),
            _ => 1,
        }).Select(_ => $"<{random.NextInt64(1L << random.Next(1, 40)):x}{random.Next(1 << 20):x5}>"))),
    ];

    private static string NameOf(FieldInfo field) => $"{field.DeclaringType!.Name}.{field.Name}";

    private static IEnumerable<FieldInfo> Fields() =>
        from type in typeof(CommandLine).Assembly.GetTypes()
        where !type.ContainsGenericParameters
        from field in type.GetFields(BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public)
        where field.FieldType.IsGenericType && field.FieldType.GetGenericTypeDefinition() == typeof(Table<>)
        select field;
}
