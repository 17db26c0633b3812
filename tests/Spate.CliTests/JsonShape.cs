using System.Text.Json;

namespace Spate.CliTests;

/// <summary>
/// Which keys JSON has, in their order, and the types of their values. The elements of an array share one shape.
/// </summary>
internal sealed class JsonShape
{
    private readonly OrderedDictionary<string, HashSet<string>> _typesAt = new(StringComparer.Ordinal);
    private readonly HashSet<string> _nulls = new(StringComparer.Ordinal);

    private JsonShape()
    {
    }

    /// <summary>
    /// A line for each key in the order of the JSON, with its types, and with null where that was seen.
    /// </summary>
    public IEnumerable<string> Lines => _typesAt.Keys.Select(
        path => $"{path}: {string.Join('|', TypesAt(path), _nulls.Contains(path) ? "null" : "").Trim('|')}");

    /// <summary>The shape of a document, or of lines with a document each.</summary>
    public static JsonShape Of(string json)
    {
        var shape = new JsonShape();
        byte[] bytes = System.Text.Encoding.UTF8.GetBytes(json);
        var reader = new Utf8JsonReader(bytes, new JsonReaderOptions { AllowMultipleValues = true });
        while (reader.Read())
        {
            using JsonDocument document = JsonDocument.ParseValue(ref reader);
            shape.Add("$", document.RootElement);
        }

        return shape;
    }

    /// <summary>
    /// Where it has other keys or types than another shape. The content of an array that is empty in one of them, or of
    /// a value that is null there, cannot be compared.
    /// </summary>
    public IEnumerable<string> DifferencesTo(JsonShape other)
    {
        foreach (string path in _typesAt.Keys.Union(other._typesAt.Keys, StringComparer.Ordinal)
            .Order(StringComparer.Ordinal))
        {
            if (!other.Covers(path) || !Covers(path)) continue;
            string here = TypesAt(path), there = other.TypesAt(path);
            if (here is not "" && there is not "" && !string.Equals(here, there, StringComparison.Ordinal))
            {
                yield return $"{path}: {here}, {there}";
            }

            if (_typesAt.ContainsKey(path) != other._typesAt.ContainsKey(path))
            {
                yield return $"{path}: only in the {(_typesAt.ContainsKey(path) ? "first" : "second")}";
            }
        }
    }

    private void Add(string path, JsonElement value)
    {
        if (!_typesAt.TryGetValue(path, out HashSet<string>? types))
        {
            _typesAt[path] = types = new HashSet<string>(StringComparer.Ordinal);
        }

        switch (value.ValueKind)
        {
            case JsonValueKind.Object:
                types.Add("object");
                foreach (JsonProperty one in value.EnumerateObject()) Add($"{path}.{one.Name}", one.Value);
                break;
            case JsonValueKind.Array:
                types.Add("array");
                foreach (JsonElement one in value.EnumerateArray()) Add(path + "[]", one);
                break;
            case JsonValueKind.True or JsonValueKind.False:
                types.Add("bool");
                break;
            case JsonValueKind.Null:
                _nulls.Add(path);
                break;
            default:
                types.Add(value.ValueKind.ToString());
                break;
        }
    }

    // Whether all that the path lies in has a value here.
    private bool Covers(string path)
    {
        for (int end = path.LastIndexOfAny(['.', '[']); end > 0; end = path.LastIndexOfAny(['.', '['], end - 1))
        {
            if (TypesAt(path[..end]) is "") return false;
            if (path[end] == '[' && !_typesAt.ContainsKey(path[..(end + "[]".Length)])) return false;
        }

        return true;
    }

    private string TypesAt(string path) =>
        _typesAt.TryGetValue(path, out HashSet<string>? types)
            ? string.Join('|', types.Order(StringComparer.Ordinal))
            : "";
}
