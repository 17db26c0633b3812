using System.Text.RegularExpressions;

namespace Spate.Build.ApiLists;

/// <summary>
/// Differences from the last release that CHANGELOG.md does not name. The old list gets the new names of types first,
/// so that a renamed type needs one row; all remaining differences must be named.
/// </summary>
internal sealed class ApiComparison
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    private readonly IReadOnlyDictionary<string, ApiList> _released;
    private readonly IReadOnlyDictionary<string, ApiList> _current;
    private readonly ApiChangelog _changelog;
    private readonly (string Old, string New)[] _rows;
    private readonly Dictionary<string, string> _renames;
    private readonly Regex _renamed;

    /// <param name="released">The lists of the last release, by package.</param>
    /// <param name="current">The present lists, by package.</param>
    /// <param name="changelog">The changes in between.</param>
    public ApiComparison(
        IReadOnlyDictionary<string, ApiList> released,
        IReadOnlyDictionary<string, ApiList> current,
        ApiChangelog changelog)
    {
        _released = released;
        _current = current;
        _changelog = changelog;
        HashSet<string> names = NamesIn(released.Values);

        // Others are of no list, such as names of the tool.
        _rows = [.. changelog.Rows.Where(row => names.Contains(row.Old))];
        HashSet<string> types = [.. released.Values.SelectMany(list => list.Types.Select(type => list.NameOf(type)))];
        _renames = _rows.Where(row => types.Contains(row.Old)).DistinctBy(row => row.Old)
            .ToDictionary(row => row.Old, row => row.New);

        // The longest first: a nested type has the name of its outer type in its own.
        string words = string.Join('|', _renames.Keys.OrderByDescending(name => name.Length).Select(Regex.Escape));
        _renamed = new Regex($@"\b({words})\b", RegexOptions.ExplicitCapture, Patience);
    }

    /// <summary>One line for each entry that is missing or wrong.</summary>
    public IEnumerable<string> Faults()
    {
        foreach (string fault in StaleRows()) yield return fault;
        foreach ((string package, ApiList old) in _released.OrderBy(pair => pair.Key, StringComparer.Ordinal))
        {
            if (_current.TryGetValue(package, out ApiList? now))
            {
                foreach (string fault in Changes(package, old, now)) yield return fault;
                foreach (string fault in NewDuties(package, old, now)) yield return fault;
                foreach (string fault in NewTypes(package, old, now)) yield return fault;
            }
            else if (!_changelog.NamesChange(package)) yield return Missing(package, "is not packed now", package);
        }

        foreach (string package in _current.Keys.Except(_released.Keys).Order(StringComparer.Ordinal))
        {
            if (!_changelog.Mentions(package)) yield return Missing(package, "is a new package", package);
        }
    }

    private static string Missing(string package, string change, string name) =>
        $"{package}: {change}: name `{name}` in CHANGELOG.md";

    private IEnumerable<string> Changes(string package, ApiList old, ApiList now)
    {
        var members = now.Members.ToHashSet();
        var names = now.Members.Select(member => (member.Type, member.Name)).ToHashSet();
        var faults = new HashSet<string>(StringComparer.Ordinal);
        foreach (ApiMember member in old.Members)
        {
            ApiMember renamed = Rename(member);
            if (members.Contains(renamed) || IsNamed(member, old, now)) continue;
            string change = names.Contains((renamed.Type, renamed.Name)) ? "changed" : "is gone";
            string name = old.NameOf(member.Type, now.Has(renamed.Type) ? member.Name : "");
            if (faults.Add(name)) yield return Missing(package, $"{name} {change}", name);
        }
    }

    private bool IsNamed(ApiMember member, ApiList old, ApiList now)
    {
        string name = old.NameOf(member.Type, member.Name);
        if (_changelog.NamesChange(name)) return true;
        for (string? type = member.Type; type is not null; type = old.OuterOf(type))
        {
            string typeName = old.NameOf(type);
            if (_changelog.NamesChange(typeName + ".*")) return true;
            if (!now.Has(Rename(type)) && _changelog.NamesChange(typeName)) return true;
        }

        return false;
    }

    // An abstract or required member, or one of an interface, breaks programs that derive from the type or make it.
    private IEnumerable<string> NewDuties(string package, ApiList old, ApiList now)
    {
        HashSet<string> types = [.. old.Types.Select(Rename)];
        HashSet<(string, string)> names = [.. old.Members.Select(Rename).Select(member => (member.Type, member.Name))];
        HashSet<string> interfaces =
        [
            .. now.Members.Where(member => member.Signature.Contains(" interface ", StringComparison.Ordinal))
                .Select(member => member.Type),
        ];
        return now.Members
            .Where(member => types.Contains(member.Type) && !names.Contains((member.Type, member.Name)))
            .Where(member => interfaces.Contains(member.Type)
                || member.Signature.Contains(" abstract ", StringComparison.Ordinal)
                || member.Signature.Contains(" required ", StringComparison.Ordinal))
            .Select(member => now.NameOf(member.Type, member.Name))
            .Distinct()
            .Where(name => !_changelog.NamesChange(name))
            .Select(name => Missing(package, $"{name} must be written by users from now on", name));
    }

    private IEnumerable<string> NewTypes(string package, ApiList old, ApiList now)
    {
        HashSet<string> known = [.. old.Types.Select(Rename)];
        return now.Types
            .Where(type => !known.Contains(type) && (now.OuterOf(type) is not { } outer || known.Contains(outer)))
            .Select(type => now.NameOf(type))
            .Where(name => !_changelog.Mentions(name))
            .Select(name => Missing(package, $"{name} is a new type", name));
    }

    private IEnumerable<string> StaleRows()
    {
        HashSet<string> names = NamesIn(_current.Values);
        foreach ((string old, string now) in _rows)
        {
            if (!names.Contains(now))
            {
                yield return $"CHANGELOG.md: the table says that `{old}` is now `{now}`, which api/ does not have";
            }
            else if (!names.Contains(old) && _changelog.Uses(old))
            {
                yield return $"CHANGELOG.md: `{old}` is an old name: use `{now}` outside the table's first column";
            }
        }
    }

    private static HashSet<string> NamesIn(IEnumerable<ApiList> lists) =>
        [.. lists.SelectMany(list => list.Members.Select(member => list.NameOf(member.Type, member.Name)))];

    private ApiMember Rename(ApiMember member) =>
        new(Rename(member.Type), member.Name, Rename(member.Signature));

    private string Rename(string text) =>
        _renames.Count == 0 ? text : _renamed.Replace(text, word => _renames[word.Value]);
}
