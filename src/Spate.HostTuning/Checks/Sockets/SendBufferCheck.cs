using Spate.HostTuning.Counters;

namespace Spate.HostTuning.Checks.Sockets;

/// <summary>Sends that failed for lack of room, in the socket or in the queue of the interface.</summary>
internal sealed class SendBufferCheck : HostCheck
{
    private const string Reason =
        "A send buffer, or the queue below it, was full (SndbufErrors; Red Hat, Tuning UDP connections): what a queue "
        + "drops is lost, but sends that do not wait and fail count too (udp_sendmsg), and a program that waits and "
        + "sends again loses nothing.";

    public override string Id => "send-buffer-errors";

    public override string Subject => "sends that the kernel refused";

    /// <summary>
    /// Refused by the send buffer, not by a queue, where all buffers that are full now are as large as the limit
    /// allows. Which socket was refused is not counted.
    /// </summary>
    public static long RefusedAtLimit(HostReadings host, long limitBytes)
    {
        UdpSocketCounters[] full = [.. (host.Sockets ?? []).Where(IsFull)];
        return full.Length > 0 && Array.TrueForAll(full, one => one.SendBufferBytes == 2 * limitBytes)
            ? Math.Max(0, (Refused(host) ?? 0) - QueueDrops(host))
            : 0;
    }

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        if (Refused(host) is not { } refused)
        {
            yield return Unknown("The kernel does not count refused sends here.");
            yield break;
        }

        if (refused == 0)
        {
            yield return Ok("none", "No send was refused while this looked (SndbufErrors).");
            yield break;
        }

        string[] queues =
        [
            .. host.Growth.Queues.Where(static one => one is { IsRoot: true, Drops: > 0 })
                .Select(static one => $"{one.Kind} of {one.Interface} dropped {CheckText.Count(one.Drops ?? 0)}"),
        ];
        string found = $"{CheckText.Count(refused)} refused";
        yield return queues.Length > 0
            ? Problem($"{found}; {string.Join(", ", queues)}", "a slower sender, or a longer queue", Reason, refused)
            : Problem(found, "a larger send buffer (wmem-max), or a slower sender", Reason, refused);
    }

    // Once a send has found no room, poll(2) tells of room only when less than half of the buffer is in use
    // (sock_writeable, include/net/sock.h): a socket of a sender that is stopped again and again stays above that.
    private static bool IsFull(UdpSocketCounters socket) => socket.SendQueueBytes >= socket.SendBufferBytes / 2;

    private static long? Refused(HostReadings host) =>
        ReceiveBuffers.Sum(host.Growth.Udp4.SndbufErrors, host.Growth.Udp6.SndbufErrors);

    private static long QueueDrops(HostReadings host) =>
        host.Growth.Queues.Where(static one => one.IsRoot).Sum(static one => one.Drops ?? 0);
}
