using System.Globalization;
using System.Net;
using System.Runtime.InteropServices;
using Spate.HostTuning.Reading.Files;

namespace Spate.HostTuning.Placement;

/// <summary>The sockets of the other end of a test where that end runs on this machine.</summary>
/// <param name="SocketCount">UDP sockets bound to the port, or connected to it.</param>
/// <param name="BoundTo">Of the first that is bound to the port; null for none.</param>
/// <param name="PinnedCpus">Empty for no pinned thread, or where the process may not be looked at.</param>
internal sealed record LocalEnd(int SocketCount, IPAddress? BoundTo, IReadOnlyList<int> PinnedCpus)
{
    // A test has one socket per flow; more sockets than this are not of one test.
    private const int MaxSockets = 1024;

    /// <summary>
    /// From <c>/proc/net/udp</c>, <c>udp6</c> and <c>/proc</c>; nothing on other systems, and nothing for port 0, which
    /// the system has yet to choose. <c>findReceiver</c>: bound to the port, or else connected to it.
    /// </summary>
    public static LocalEnd Find(int port, bool findReceiver, string rootPath = "/")
    {
        var files = new HostFiles(rootPath);
        var inodes = new HashSet<long>();
        IPAddress? boundTo = null;
        foreach (string path in port == 0 ? [] : (string[])["proc/net/udp", "proc/net/udp6"])
        {
            foreach (string line in files.ReadLines(path))
            {
                // sl local_address rem_address st queues timer retransmits uid timeout inode ...
                string[] words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
                if (words.Length > 9 && inodes.Count < MaxSockets
                    && TryParse(words[findReceiver ? 1 : 2], out IPAddress? address, out int found) && found == port
                    && long.TryParse(words[9], CultureInfo.InvariantCulture, out long inode))
                {
                    inodes.Add(inode);
                    boundTo ??= findReceiver ? address : null;
                }
            }
        }

        return new LocalEnd(inodes.Count, boundTo, inodes.Count == 0 ? [] : PinnedThreads.Find(files, inodes));
    }

    public override string ToString() => RecordText.Of(
        nameof(LocalEnd), PrintMembers, (nameof(PinnedCpus), PinnedCpus));

    // "0100007F:270F": the address as 32-bit words in the machine's own byte order, the port as a number.
    private static bool TryParse(string text, out IPAddress? address, out int port)
    {
        address = null;
        port = 0;
        int colon = text.IndexOf(':', StringComparison.Ordinal);
        if (colon is not (8 or 32) || !HexText.TryParse(text.AsSpan(colon + 1), out uint number) || number > 65_535)
        {
            return false;
        }

        Span<uint> words = stackalloc uint[4];
        int count = colon / 8;
        for (int i = 0; i < count; i++)
        {
            if (!HexText.TryParse(text.AsSpan(i * 8, 8), out words[i])) return false;
        }

        address = new IPAddress(MemoryMarshal.AsBytes(words[..count]));
        port = (int)number;
        return true;
    }
}
