using System.Net;
using Spate.Segmentation;

namespace Spate.Tests.Segmentation;

/// <summary>
/// Sets of peers that the table of open GSO messages treats in a known way, found by trying addresses, since the hash
/// is keyed anew in each process. The port of a peer is its index plus one.
/// </summary>
internal static class PlanPeers
{
    public const int Count = 40;

    /// <summary>The capacity of the plans that the sets are made for.</summary>
    public const int Capacity = 512;

    /// <summary>Every peer finds a place of its own.</summary>
    public static UdpEndPoint[] Apart { get; } = Find(static (place, taken) => !taken.Contains(place));

    /// <summary>All peers want one place, so that few find one.</summary>
    public static UdpEndPoint[] Colliding { get; } =
        Find(static (place, taken) => taken.Count == 0 || taken.Contains(place));

    /// <summary>The peers as they come.</summary>
    public static UdpEndPoint[] Any { get; } = Find(static (_, _) => true);

    private static UdpEndPoint[] Find(Func<int, HashSet<int>, bool> suits)
    {
        HashSet<int> taken = [];
        UdpEndPoint[] peers = new UdpEndPoint[Count];
        for (int i = 0; i < Count; i++)
        {
            uint number = 0;
            do peers[i] = Numbered(number++, port: i + 1);
            while (!suits(PlaceOf(peers[i]), taken));
            taken.Add(PlaceOf(peers[i]));
        }

        return peers;
    }

    private static int PlaceOf(in UdpEndPoint peer) =>
        peer.GetHashCode() & (OpenGsoIndex.PlaceCountFor(Capacity) - 1);

    private static UdpEndPoint Numbered(uint number, int port) =>
        new(new IPAddress([127, (byte)(number >> 16), (byte)(number >> 8), (byte)number]), port);
}
