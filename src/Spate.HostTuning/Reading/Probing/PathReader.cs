using System.Net;
using System.Net.Sockets;
using Spate.HostTuning.Reading.Interfaces;

namespace Spate.HostTuning.Reading.Probing;

/// <summary>Sends <see cref="MtuSearch.MaxProbes"/> probes and two more at most, singly, to no other host.</summary>
internal static class PathReader
{
    /// <summary>ECT(0), which says that the sender understands marks (RFC 3168).</summary>
    public const byte EcnMark = 0b10;

    // RFC 791 and RFC 8200: the least MTU of a link is 68 and 1280, and hosts must take 576.
    private const int MinIpv4Bytes = 576;
    private const int MinIpv6Bytes = 1280;
    private const int MaxPacketBytes = 65_535;
    private const int EcnAttempts = 2;

    private static readonly TimeSpan MaxTime = TimeSpan.FromSeconds(15);

    public static async Task<IReadOnlyList<PathReading>> ReadAsync(
        IReadOnlyList<IPAddress> targets, CancellationToken cancellationToken)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(MaxTime);

        // Sockets belong to the network namespace of the thread that opens them, which is that of the caller.
        EchoSocket?[] sockets = [.. targets.Select(EchoSocket.TryOpen)];
        try
        {
            return await Task.WhenAll(targets.Select((target, index) =>
            {
                PathReading route = ReadRoute(target);
                return Task.Run(() => Probe(route, target, sockets[index], limit.Token), CancellationToken.None);
            })).ConfigureAwait(false);
        }
        finally
        {
            Array.ForEach(sockets, static socket => socket?.Dispose());
        }
    }

    private static PathReading ReadRoute(IPAddress target)
    {
        var peer = new IPEndPoint(target, 0);
        IPAddress? local = LocalAddresses.Toward(peer);
        return new PathReading(target.AddressFamily)
        {
            Interface = local is null
                ? null
                : InterfaceFacts.ReadAll().FirstOrDefault(one => one.Addresses.Any(local.Equals)),
            KnownBytes = ReadKnown(peer),
            Route = RouteFacts.Read(target, "/"),
        };
    }

    private static PathReading Probe(
        PathReading path, IPAddress target, EchoSocket? socket, CancellationToken cancellationToken)
    {
        if (socket is null || path.KnownBytes is not { } known) return path;

        int minBytes = path.Family == AddressFamily.InterNetworkV6 ? MinIpv6Bytes : MinIpv4Bytes;
        int maxBytes = Math.Clamp(Math.Max(known, path.Interface?.MtuBytes ?? 0), minBytes, MaxPacketBytes);
        var peer = new IPEndPoint(target, 0);
        var search = new MtuSearch(bytes => socket.Exchange(bytes, 0, cancellationToken), () => ReadKnown(peer));
        MtuProbe found = search.Run(minBytes, maxBytes, cancellationToken);
        byte? echoed = null;
        for (int attempt = 0; found.PathBytes is not null && echoed is null && attempt < EcnAttempts; attempt++)
        {
            echoed = socket.Exchange(socket.MinBytes, EcnMark, cancellationToken).TrafficClass;
        }

        return path with { Probe = found, EchoedClass = echoed };
    }

    private static int? ReadKnown(IPEndPoint peer) => PathMtu.TryFind(peer, out int bytes) ? bytes : null;
}

/// <summary>What is known of the path to an address. It does not hold the address: findings are pasted.</summary>
internal sealed record PathReading(AddressFamily Family)
{
    public InterfaceFacts? Interface { get; init; }

    /// <summary>What the kernel knows without any probe; null without a route.</summary>
    public int? KnownBytes { get; init; }

    public RouteFacts? Route { get; init; }

    /// <summary>Null where this process may send no probes.</summary>
    public MtuProbe? Probe { get; init; }

    /// <summary>Of the reply to a probe that had an ECN mark; null for no reply.</summary>
    public byte? EchoedClass { get; init; }
}
