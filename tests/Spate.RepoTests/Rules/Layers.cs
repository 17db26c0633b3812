using Microsoft.CodeAnalysis;

namespace Spate.RepoTests.Rules;

/// <summary>
/// The layers of src/Spate, from the bottom up. A type of a folder has the folder's layer; a type at the root has the
/// layer that the table below gives it. All parts of a partial type, and nested types, belong to the layer of the type.
/// </summary>
public static class Layers
{
    public const string Library = "src/Spate";
    public const string Values = "values";
    public const string Selector = "selector";
    public const string Results = "results";
    public const string Faces = "faces";

    /// <summary>
    /// From the bottom up. Parts in one row may use each other in one direction only; the backends, each a part of its
    /// own, not at all.
    /// </summary>
    private static readonly string[][] FromBottom =
    [
        ["Interop", "Hashing", "Escaping"],
        [Values],
        ["Buffers", "Segmentation", "Messages", "Diagnostics"],
        [Results],
        ["Sockets"],
        ["Sockets/Portable", "Sockets/Mmsg", "Sockets/Uring", "Sockets/Winsock", "Sockets/Rio"],
        [Selector],
        ["Waiting"],
        [Faces],
        ["Serving"],
    ];

    /// <summary>Public types that are made of what lies in the folders; each other one is a value.</summary>
    private static readonly string[] FaceTypes =
    [
        "Datagram", "DatagramLease", "ReceiveBatch", "SendBatch", "ThreadAffinity", "UdpCapabilities", "UdpPoller",
        "UdpPollCallback", "UdpSocket",
    ];

    /// <summary>What a backend gives back that is made of Buffers' metadata.</summary>
    private static readonly string[] ResultTypes = ["ReceivedDatagram"];

    /// <summary>Value types, options, results, enumerations: they use nothing that works.</summary>
    private static readonly string[] ValueTypes =
    [
        "EcnCodepoint", "PollStatus", "ReceiveBatchOptions", "ReceiveStatus", "SendBatchOptions",
        "SendCanceledException", "SendControl", "SendResult", "SendStatus", "UdpAddress", "UdpBackend",
        "UdpCapability", "UdpCounters", "UdpDropUnit", "UdpEndPoint", "UdpFragmentation", "UdpIcmpError",
        "UdpMetadata", "UdpSocketOptions",
    ];

    /// <summary>The types that name backends, and so stand above them although they lie in Sockets.</summary>
    private static readonly string[] SelectorTypes = ["BackendSelector"];

    /// <summary>The part of the library that a type belongs to, or null where no table names it.</summary>
    public static string? PartOf(INamedTypeSymbol type)
    {
        string[] folders = [.. Paths(type).Select(FolderOf).Distinct(StringComparer.Ordinal)];
        if (folders.Length != 1) return null;
        if (SelectorTypes.Contains(type.Name, StringComparer.Ordinal)) return Selector;
        if (folders[0].Length > 0) return Known(folders[0]) ?? Known(folders[0].Split('/')[0]);
        if (FaceTypes.Contains(type.Name, StringComparer.Ordinal)) return Faces;
        if (ResultTypes.Contains(type.Name, StringComparer.Ordinal)) return Results;
        return ValueTypes.Contains(type.Name, StringComparer.Ordinal) ? Values : null;
    }

    /// <summary>The number of a part's layer, counted from the bottom.</summary>
    public static int Height(string part) => Array.FindIndex(FromBottom, row => row.Contains(part));

    public static bool IsBackend(string part) => part.StartsWith("Sockets/", StringComparison.Ordinal);

    /// <summary>Types that a table names and the library no longer has.</summary>
    public static IEnumerable<string> Tabled => [.. FaceTypes, .. ResultTypes, .. ValueTypes, .. SelectorTypes];

    private static IEnumerable<string> Paths(INamedTypeSymbol type) =>
        type.DeclaringSyntaxReferences.Select(at => at.SyntaxTree.FilePath);

    private static string? Known(string part) => Height(part) >= 0 ? part : null;

    private static string FolderOf(string path)
    {
        string inside = path[(Library.Length + 1)..];
        return inside.LastIndexOf('/') is var slash and >= 0 ? inside[..slash] : "";
    }
}
