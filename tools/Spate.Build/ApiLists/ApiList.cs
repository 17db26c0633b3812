using System.Text.RegularExpressions;

namespace Spate.Build.ApiLists;

/// <summary>A list of <see cref="ApiSurface"/>, read again.</summary>
internal sealed partial class ApiList
{
    private readonly HashSet<string> _types = new(StringComparer.Ordinal);

    public ApiList(IEnumerable<string> lines)
    {
        var members = new List<ApiMember>();
        foreach (string line in lines)
        {
            if (line.Split(": ", 2) is not [var type, var text]) continue;
            // The first line of a type declares it.
            members.Add(_types.Add(type) ? new ApiMember(type, "", text) : Parse(type, text));
        }

        Members = members;
    }

    public IReadOnlyList<ApiMember> Members { get; }

    public IReadOnlyCollection<string> Types => _types;

    public static string WithoutTypeArguments(string text) => TypeArguments().Replace(text, "");

    public static ApiList Read(string path) => new(File.Exists(path) ? File.ReadAllLines(path) : []);

    public bool Has(string type) => _types.Contains(type);

    /// <summary>The type that holds a nested type; null for every other one.</summary>
    public string? OuterOf(string type) =>
        type.LastIndexOf('.') is var dot and > 0 && Has(type[..dot]) ? type[..dot] : null;

    /// <summary>The name of a type or member as people write it: without namespace and type arguments.</summary>
    public string NameOf(string type, string member = "")
    {
        int start = type.LastIndexOf('.') + 1;
        for (string? outer = OuterOf(type); outer is not null; outer = OuterOf(outer))
        {
            start = outer.LastIndexOf('.') + 1;
        }

        string name = WithoutTypeArguments(type[start..]);
        return member.Length == 0 ? name : member == ApiMember.Constructor ? $"new {name}" : $"{name}.{member}";
    }

    private static ApiMember Parse(string type, string text)
    {
        int start = Attributes().Match(text).Length;
        Match name = MemberName().Match(text, start);
        if (!name.Success) return new ApiMember(type, text, text);
        string simple = WithoutTypeArguments(type[(type.LastIndexOf('.') + 1)..]);
        bool isConstructor = text.AsSpan(name.Index).StartsWith(simple + "(", StringComparison.Ordinal);
        return new ApiMember(
            type,
            isConstructor ? ApiMember.Constructor : name.Value,
            string.Concat(text.AsSpan(0, name.Index), "@", text.AsSpan(name.Index + name.Length)));
    }

    [GeneratedRegex(@"<[^<>]*>", RegexOptions.None, matchTimeoutMilliseconds: 1000)]
    private static partial Regex TypeArguments();

    [GeneratedRegex(@"^(\[[^\]]*\] )*", RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 1000)]
    private static partial Regex Attributes();

    /// <summary>A name before parameters, accessors, a value or the end; a generic method has type names.</summary>
    [GeneratedRegex(
        @"operator [^(]+(?=\()|\bthis(?=\[)|\w+(?=(<[\w, ]+>)?\(| \{| =|;)",
        RegexOptions.ExplicitCapture, matchTimeoutMilliseconds: 1000)]
    private static partial Regex MemberName();
}

/// <summary>A type, whose name is empty, or a member; its name is an @ in its signature.</summary>
internal sealed record ApiMember(string Type, string Name, string Signature)
{
    public const string Constructor = "new";
}
