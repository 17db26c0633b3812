namespace Spate.HostTuning.Checks.Sockets;

/// <summary>Sends that failed for lack of room, in the socket or in the queue of the interface.</summary>
internal sealed class SendBufferCheck : HostCheck
{
    private const string Reason =
        "The kernel refused datagrams of programs on this host: a send buffer, or the queue below it, was full "
        + "(SndbufErrors; Red Hat, Tuning UDP connections).";

    public override string Id => "send-buffer-errors";

    public override string Subject => "sends that the kernel refused";

    /// <summary>
    /// Sends that the send buffer refused and no queue, where some socket has the largest buffer that the limit allows.
    /// </summary>
    public static long RefusedAtLimit(HostReadings host, long limitBytes) =>
        host.Sockets is { } sockets && sockets.Any(one => one.SendBufferBytes == 2 * limitBytes)
            ? Math.Max(0, (Refused(host) ?? 0) - QueueDrops(host))
            : 0;

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

    private static long? Refused(HostReadings host) =>
        ReceiveBuffers.Sum(host.Growth.Udp4.SndbufErrors, host.Growth.Udp6.SndbufErrors);

    private static long QueueDrops(HostReadings host) =>
        host.Growth.Queues.Where(static one => one.IsRoot).Sum(static one => one.Drops ?? 0);
}
