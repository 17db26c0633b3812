namespace Spate.RepoTests.Rules;

/// <summary>The folders of src/Spate and which of them each may not know: arrows point down only.</summary>
public static class Layers
{
    public const string Library = "src/Spate";
    public const string Selector = "src/Spate/Sockets/BackendSelector";
    public const string Values = "root";
    public const string Face = "face";

    public const string Server = "server";

    /// <summary>Folders of Backends that are parts for all backends, and no backends themselves.</summary>
    private static readonly string[] SharedByBackends = ["Messages", "Readiness"];

    private static readonly Dictionary<string, string[]> Forbidden = new(StringComparer.Ordinal)
    {
        [Server] = [],
        [Face] = ["Serving", Server],
        [Values] = [Face, Server],
        ["Interop"] = ["Trains", "Buffers", "Hashing", "Sockets", "Waiting", "Serving", Face, Server],
        ["Trains"] = ["Interop", "Sockets", "Waiting", "Serving", Face, Server],
        ["Hashing"] = ["Interop", "Sockets", "Waiting", "Serving", Face, Server],
        ["Buffers"] = ["Sockets", "Waiting", "Serving", Face, Server],
        ["Diagnostics"] = ["Sockets", "Waiting", "Serving", Face, Server],
        ["Sockets"] = ["Waiting", "Serving", Face, Server],
        ["Waiting"] = ["Serving", Face, Server],
        ["Serving"] = [Server],
    };

    /// <summary>The layer of a file of the library: the face, the value types at the root, or a folder.</summary>
    public static string Of(string path)
    {
        string[] parts = path[(Library.Length + 1)..].Split('/');
        if (parts.Length > 1) return parts[0];
        return parts[0].Split('.')[0] switch
        {
            "UdpSocket" or "UdpPoller" or "UdpPollHandler" => Face,
            "UdpServer" => Server,
            _ => Values,
        };
    }

    /// <summary>The layer of a namespace of the library, or null for the root and for foreign ones.</summary>
    public static string? OfNamespace(string name) =>
        name.StartsWith("Spate.", StringComparison.Ordinal) ? name.Split('.')[1] : null;

    public static bool IsKnown(string layer) => Forbidden.ContainsKey(layer);

    public static bool MayNotKnow(string layer, string? other) =>
        other is not null && Forbidden.TryGetValue(layer, out string[]? others) &&
        others.Contains(other, StringComparer.Ordinal);

    /// <summary>Mmsg for src/Spate/Sockets/Mmsg/X.cs; null for what is no part of one backend.</summary>
    public static string? BackendOf(string path) =>
        path.StartsWith(Library + "/Backends/", StringComparison.Ordinal) && path.Split('/') is { Length: > 4 } parts
            ? Backend(parts[3])
            : null;

    /// <summary>Mmsg for Spate.Sockets.Mmsg.</summary>
    public static string? BackendOfNamespace(string name) =>
        name.StartsWith("Spate.Sockets.", StringComparison.Ordinal) ? Backend(name.Split('.')[2]) : null;

    private static string? Backend(string folder) =>
        SharedByBackends.Contains(folder, StringComparer.Ordinal) ? null : folder;
}
