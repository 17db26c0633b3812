namespace Spate.Diagnostics;

/// <summary>
/// The meter's totals for each name, up to a maximum number of names. Sockets with any further name are counted
/// together with the sockets that have no name, so that names cannot fill the memory. Not safe for use by several
/// threads at once.
/// </summary>
internal sealed class NameTable(int maxNameCount)
{
    private readonly Dictionary<string, NameCounts> _named = new(StringComparer.Ordinal);
    private readonly NameCounts _nameless = new(null);

    public IEnumerable<NameCounts> All => _named.Values.Prepend(_nameless);

    public NameCounts Of(string? name)
    {
        if (name is null) return _nameless;
        if (_named.TryGetValue(name, out NameCounts? known)) return known;
        return _named.Count >= maxNameCount ? _nameless : _named[name] = new NameCounts(name);
    }
}
