using System.Net;
using Spate.Serving;

namespace Spate.Cli.Bench.Sessions;

/// <summary>Invented peers and their order, since all datagrams over loopback come from one peer.</summary>
internal static class BenchPeers
{
    private const uint Network = 10u << 24;
    private const uint HostMask = (1u << 24) - 1;

    // Any odd factor maps the hosts of 10.0.0.0/8 one to one. This one, 2^32 over the golden ratio, scatters them.
    private const uint Scatter = 0x9E3779B1;
    private const int FirstPort = 1024;
    private const int PortCount = 64_000;

    /// <summary>Different peers in 10.0.0.0/8 (RFC 1918). Nothing is ever sent to them.</summary>
    public static UdpEndPoint[] Create(int count)
    {
        var peers = new UdpEndPoint[count];
        for (uint i = 0; i < peers.Length; i++)
        {
            uint address = Network | (unchecked(i * Scatter) & HostMask);
            int port = FirstPort + (int)(unchecked(i * Scatter) % PortCount);
            peers[i] = new UdpEndPoint(new IPAddress(IPAddress.HostToNetworkOrder((int)address) & 0xFFFFFFFFL), port);
        }
        return peers;
    }

    /// <summary>Draws peers at random. If there are two or more, none is drawn twice in succession.</summary>
    public static void Draw(UdpEndPoint[] peers, Span<UdpEndPoint> sequence, Random random)
    {
        int last = -1;
        foreach (ref UdpEndPoint next in sequence)
        {
            int index = random.Next(peers.Length);
            if (index == last) index = (index + 1) % peers.Length;
            next = peers[index];
            last = index;
        }
    }

    /// <summary>Creates a table without limits of rates, and fills it with all peers.</summary>
    public static SessionTable<BenchSession> CreateTable(
        UdpEndPoint[] peers, TimeProvider time, TimeSpan idleTimeout, SessionEndedCallback<BenchSession>? ended = null)
    {
        var table = new SessionTable<BenchSession>(
            new SessionTableOptions
            {
                MaxSessions = peers.Length,
                NewSessionsPerSecond = null,
                NewSessionsPerSecondPerPrefix = null,
                IdleTimeout = idleTimeout,
                TimeProvider = time,
            },
            ended);
        foreach (ref readonly UdpEndPoint peer in peers.AsSpan())
        {
            _ = table.GetOrAdmit(in peer, out _);
        }
        return table;
    }
}

/// <summary>What the bench keeps about a peer.</summary>
internal struct BenchSession
{
    public long Datagrams;
    public long Bytes;
}

/// <summary>Peers, and a table with a session of each.</summary>
internal sealed class PeerSet
{
    public PeerSet(int count)
    {
        Peers = BenchPeers.Create(count);

        // No session of a row may expire while its row is measured, however long the run.
        Table = BenchPeers.CreateTable(Peers, TimeProvider.System, TimeSpan.FromDays(365));
    }

    public int Count => Peers.Length;

    public UdpEndPoint[] Peers { get; }

    public SessionTable<BenchSession> Table { get; }
}
