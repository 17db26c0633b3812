using System.Globalization;
using Spate.HostTuning.Files;

namespace Spate.HostTuning.Counters;

/// <summary>
/// What the kernel tells of one UDP socket, of any program: its row in <c>/proc/net/udp</c> or <c>/proc/net/udp6</c>.
/// A program that has the socket itself gets the same of <see cref="UdpSocket.GetCounters"/> at less cost.
/// </summary>
/// <param name="Inode">
/// The number that names the socket: a link <c>/proc/PID/fd/N</c> says <c>socket:[Inode]</c>.
/// </param>
/// <param name="ReceiveQueueBytes">
/// What waits in the receive buffer now, in bytes of memory, which are more than those of the payloads. A difference
/// of two readings has the later one's.
/// </param>
/// <param name="Drops">
/// Datagrams that the socket dropped, above all for lack of room in the receive buffer; what its filter rejected counts
/// too. A socket with coalesced receive counts coalesced buffers.
/// </param>
public sealed record UdpSocketCounters(long Inode, long? ReceiveQueueBytes, long? Drops)
{
    // The columns of udp4_format_sock and ip6_dgram_sock_seq_show in the kernel; lines have at most 180 characters.
    private const int QueuesWord = 4;
    private const int InodeWord = 9;
    private const int DropsWord = 12;
    private const int BufferBytes = 16 * 1024;

    // Over 100,000 sockets. Each row costs the kernel some 0.3 microseconds.
    private const int MaxReads = 1024;

    /// <summary>Finds the socket's row among those of the network namespace that the calling thread is in.</summary>
    /// <param name="inode">The number that names the socket.</param>
    /// <param name="rootPath">Where the system's file tree begins; another value than <c>/</c> is for tests.</param>
    /// <returns>
    /// The row; null where there is none, or where other sockets opened and closed so fast that it was missed.
    /// </returns>
    public static UdpSocketCounters? Read(long inode, string rootPath = "/")
    {
        var files = new HostFiles(rootPath);
        return Find(files, "proc/thread-self/net/udp", inode) ?? Find(files, "proc/thread-self/net/udp6", inode);
    }

    /// <summary>Reads which socket a descriptor of this process is.</summary>
    /// <param name="descriptor">The descriptor.</param>
    /// <param name="rootPath">Where the system's file tree begins; another value than <c>/</c> is for tests.</param>
    /// <returns>The number that names the socket; null for a descriptor that is none, or not Linux's.</returns>
    public static long? ReadInode(int descriptor, string rootPath = "/")
    {
        const string Begin = "socket:[";
        string path = string.Create(CultureInfo.InvariantCulture, $"proc/self/fd/{descriptor}");
        return new HostFiles(rootPath).ReadLink(path) is { } link && link.StartsWith(Begin, StringComparison.Ordinal)
            && long.TryParse(link.AsSpan(Begin.Length).TrimEnd(']'), CultureInfo.InvariantCulture, out long inode)
                ? inode
                : null;
    }

    /// <summary>What was counted between two readings; null where either is unknown.</summary>
    /// <exception cref="ArgumentException">The readings are of two sockets.</exception>
    public static UdpSocketCounters operator -(UdpSocketCounters later, UdpSocketCounters earlier) =>
        later.Inode == earlier.Inode
            ? later with { Drops = CounterDelta.Narrow(later.Drops, earlier.Drops) }
            : throw new ArgumentException(
                $"The counters are of two sockets, {earlier.Inode} and {later.Inode}: take both readings of one.",
                nameof(earlier));

    /// <inheritdoc cref="op_Subtraction"/>
    public static UdpSocketCounters Subtract(UdpSocketCounters later, UdpSocketCounters earlier) => later - earlier;

    // Line by line through a buffer of some pages: hosts with many sockets have tables of many megabytes.
    private static UdpSocketCounters? Find(HostFiles files, string path, long inode)
    {
        if (inode <= 0) return null; // rows of sockets that are being closed have 0

        using HostFile file = files.Open(path);
        Span<byte> buffer = stackalloc byte[BufferBytes];
        long offset = 0;
        int kept = 0;
        for (int i = 0; i < MaxReads; i++)
        {
            int read = file.Read(buffer[kept..], offset).Length;
            if (read == 0) break;

            offset += read;
            ReadOnlySpan<byte> rest = buffer[..(kept + read)];
            int end;
            while ((end = rest.IndexOf((byte)'\n')) >= 0)
            {
                if (Parse(rest[..end], inode) is { } found) return found;

                rest = rest[(end + 1)..];
            }

            if (rest.Length == buffer.Length) break; // no table of this kind has such lines
            rest.CopyTo(buffer);
            kept = rest.Length;
        }

        return null;
    }

    private static UdpSocketCounters? Parse(ReadOnlySpan<byte> line, long inode)
    {
        if (HostText.Number(HostText.WordAt(line, InodeWord)) != inode) return null;

        ReadOnlySpan<byte> queues = HostText.WordAt(line, QueuesWord); // tx_queue:rx_queue
        int colon = queues.IndexOf((byte)':');
        return new UdpSocketCounters(
            inode,
            colon < 0 ? null : HostText.HexNumber(queues[(colon + 1)..]),
            HostText.Number(HostText.WordAt(line, DropsWord)));
    }
}
