using Spate.Measurement.Reports;

namespace Spate.Cli.Comparison;

/// <summary>Compares the settings of reports.</summary>
internal static class ReportSettings
{
    /// <summary>The settings that differ among the reports, and the first that must be alike; null for none.</summary>
    public static IReadOnlyList<CompareDifference> Differences(
        IReadOnlyList<Report> a, IReadOnlyList<Report> b, out CompareDifference? forbidding)
    {
        var differences = new List<CompareDifference>();
        forbidding = null;
        ReportSetting[] ofA = [.. a.SelectMany(static report => report.ComparedSettings)];
        ReportSetting[] ofB = [.. b.SelectMany(static report => report.ComparedSettings)];
        ILookup<string, ReportSetting> all = ofA.Concat(ofB).ToLookup(static one => one.Name, StringComparer.Ordinal);
        foreach (IGrouping<string, ReportSetting> alike in all)
        {
            string[] valuesOfA = ValuesOf(alike.Key, ofA);
            string[] valuesOfB = ValuesOf(alike.Key, ofB);
            if (valuesOfA.Union(valuesOfB, StringComparer.Ordinal).Count() == 1) continue;

            var difference = new CompareDifference(
                alike.Key, string.Join(" or ", valuesOfA), string.Join(" or ", valuesOfB));
            differences.Add(difference);
            if (alike.First().MustBeAlike) forbidding ??= difference;
        }

        return differences;
    }

    private static string[] ValuesOf(string name, IEnumerable<ReportSetting> side) =>
    [
        .. side.Where(setting => string.Equals(setting.Name, name, StringComparison.Ordinal))
            .Select(static setting => setting.Value)
            .DefaultIfEmpty("not there")
            .Distinct(StringComparer.Ordinal),
    ];
}
