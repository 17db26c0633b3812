using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading;
using Spate.HostTuning.Reading.Usage;
using static Spate.HostTuning.Checks.CheckFinding;

namespace Spate.HostTuning.Checks;

/// <summary>
/// What sockets had no room for, and what of it a larger buffer would have taken. The kernel grants twice what a
/// program asks for, at most twice the limit, and the default as it is (socket(7), SO_RCVBUF). What root forces may be
/// more.
/// </summary>
internal static class SocketDropChecks
{
    private const int MaxNamed = 5;

    /// <summary>The sockets that had no room for what arrived, each with its port, program and buffer.</summary>
    public static CheckFinding Receiving(HostReadings host)
    {
        const string Reason =
            "A datagram is dropped when the socket's receive buffer is full (RcvbufErrors, and d of ss -uam).";

        // Datagrams, or coalesced buffers, that found a full buffer; null where unknown.
        long? refused = Sum(host.Growth.Udp4.RcvbufErrors, host.Growth.Udp6.RcvbufErrors);
        if (refused is null && host.Sockets is null)
        {
            return Unknown("The kernel neither counts refused datagrams here nor lists its sockets.");
        }

        // Without refusals, sockets dropped what their own filters rejected, or what had a wrong checksum.
        long lost = refused ?? host.SocketDrops.Sum(static one => one.Drops ?? 0);
        if (lost == 0) return Ok("none", Reason);

        return host.SocketDrops.Count == 0
            ? Problem($"{CheckText.Count(lost)} dropped, by sockets that are closed or not listed", "0", Reason, lost)
            : Problem(Describe(host), Wanted(host), Reason, lost);
    }

    /// <summary>Sends that failed for lack of room, in the socket or in the queue of the interface.</summary>
    public static CheckFinding Sending(HostReadings host)
    {
        const string Reason = "A send buffer, or the queue below it, was full (SndbufErrors; Red Hat, Tuning UDP "
            + "connections): drops of a queue are lost, but failed non-blocking sends count too (udp_sendmsg), "
            + "and a program that waits and sends again loses nothing.";
        if (Refused(host) is not { } refused) return Unknown("The kernel does not count refused sends here.");
        if (refused == 0) return Ok("none", "No send was refused during the check (SndbufErrors).");

        string[] queues =
        [
            .. host.Growth.Queues.Where(static one => one is { IsRoot: true, Drops: > 0 })
                .Select(static one => $"{one.Kind} of {one.Interface} dropped {CheckText.Count(one.Drops ?? 0)}"),
        ];
        string found = $"{CheckText.Count(refused)} refused";
        return queues.Length > 0
            ? Problem($"{found}; {string.Join(", ", queues)}", "a slower sender, or a longer queue", Reason, refused)
            : Problem(found, "a larger send buffer (wmem-max), or a slower sender", Reason, refused);
    }

    /// <summary>Of sockets whose buffer is as large as the limit allows.</summary>
    public static long AtLimit(HostReadings host, long limitBytes) =>
        host.SocketDrops.Where(one => one.ReceiveBufferBytes == 2 * limitBytes).Sum(static one => one.Drops ?? 0);

    /// <summary>Of sockets that have the default, unless the limit allows no more.</summary>
    public static long AtDefault(HostReadings host, long defaultBytes, long? limitBytes) =>
        host.SocketDrops.Where(one => one.ReceiveBufferBytes == defaultBytes && defaultBytes != 2 * limitBytes)
            .Sum(static one => one.Drops ?? 0);

    /// <summary>
    /// Refused by the send buffer, not by a queue, where all buffers that are full now are as large as the limit
    /// allows. Which socket was refused is not counted.
    /// </summary>
    public static long RefusedAtLimit(HostReadings host, long limitBytes)
    {
        UdpSocketCounters[] full = [.. (host.Sockets ?? []).Where(IsFull)];
        long queued = host.Growth.Queues.Where(static one => one.IsRoot).Sum(static one => one.Drops ?? 0);
        return full.Length > 0 && Array.TrueForAll(full, one => one.SendBufferBytes == 2 * limitBytes)
            ? Math.Max(0, (Refused(host) ?? 0) - queued)
            : 0;
    }

    /// <summary>What is unknown counts as nothing; null where both are.</summary>
    public static long? Sum(long? left, long? right) =>
        left is null && right is null ? null : (left ?? 0) + (right ?? 0);

    private static long? Refused(HostReadings host) =>
        Sum(host.Growth.Udp4.SndbufErrors, host.Growth.Udp6.SndbufErrors);

    // Once a send has found no room, poll(2) tells of room only when less than half of the buffer is in use
    // (sock_writeable, include/net/sock.h): a socket of a sender that is stopped again and again stays above that.
    private static bool IsFull(UdpSocketCounters socket) => socket.SendQueueBytes >= socket.SendBufferBytes / 2;

    private static string Describe(HostReadings host)
    {
        UdpSocketCounters[] named = [.. host.SocketDrops.Take(MaxNamed)];
        ILookup<long, string> owners = SocketOwners
            .Find(host.Files, named.Select(static one => one.Inode).ToHashSet())
            .ToLookup(static one => one.Inode, one => SocketOwners.NameOf(host.Files, one.Process));
        int unnamed = host.SocketDrops.Count - named.Length;
        string rest = unnamed > 0 ? $"; and {CheckText.Plural(unnamed, "more socket")}" : "";
        return string.Join("; ", named.Select(one => Describe(one, owners[one.Inode].FirstOrDefault("")))) + rest;
    }

    private static string Describe(UdpSocketCounters socket, string program)
    {
        string owner = program.Length > 0 ? $" ({program})" : "";
        string buffer = socket.ReceiveBufferBytes is { } bytes ? $", buffer {CheckText.Bytes(bytes)}" : "";
        return $"port {socket.Port}{owner}: {CheckText.Count(socket.Drops ?? 0)} dropped{buffer}";
    }

    // By the socket that dropped most.
    private static string Wanted(HostReadings host)
    {
        long? buffer = host.SocketDrops[0].ReceiveBufferBytes;
        var limits = BufferLimits.Read(host.Request.RootPath);
        if (buffer is null) return "a larger buffer, or a faster reader";
        if (buffer == 2 * limits.ReceiveMaximumBytes) return "a higher limit (rmem-max), or a faster reader";

        return buffer == limits.ReceiveDefaultBytes
            ? "a program that requests a larger buffer than the default (--buffer of spate)"
            : "a program that requests a larger buffer (--buffer of spate), or a faster reader";
    }
}
