using System.Globalization;
using Spate.HostTuning.Counters;
using Spate.HostTuning.Reading;
using Spate.HostTuning.Reading.Usage;

namespace Spate.HostTuning.Checks.Sockets;

/// <summary>The sockets that had no room for what arrived, each with its port, program and buffer.</summary>
internal sealed class SocketDropsCheck : HostCheck
{
    private const int MaxNamed = 5;

    private const string Reason =
        "A datagram for which a socket's receive buffer has no room is dropped (RcvbufErrors, and d of ss -uam).";

    public override string Id => "socket-drops";

    public override string Subject => "sockets that dropped datagrams";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        long? refused = ReceiveBuffers.Refused(host);
        if (refused is null && host.Sockets is null)
        {
            yield return Unknown("The kernel neither counts refused datagrams here nor lists its sockets.");
            yield break;
        }

        // Without refusals, sockets dropped what their own filters rejected, or what had a wrong checksum.
        long lost = refused ?? host.SocketDrops.Sum(static one => one.Drops ?? 0);
        if (lost == 0)
        {
            yield return Ok("none", Reason);
            yield break;
        }

        yield return host.SocketDrops.Count == 0
            ? Problem($"{CheckText.Count(lost)} dropped, by sockets that are closed or not listed", "0", Reason, lost)
            : Problem(Describe(host), Wanted(host), Reason, lost);
    }

    private static string Describe(HostReadings host)
    {
        UdpSocketCounters[] named = [.. host.SocketDrops.Take(MaxNamed)];
        ILookup<long, string> owners = SocketOwners
            .Find(host.Files, named.Select(static one => one.Inode).ToHashSet())
            .ToLookup(static one => one.Inode, one => SocketOwners.NameOf(host.Files, one.Process));
        int unnamed = host.SocketDrops.Count - named.Length;
        string rest = unnamed > 0 ? $"; and {unnamed} more sockets" : "";
        return string.Join("; ", named.Select(one => Describe(one, owners[one.Inode].FirstOrDefault("")))) + rest;
    }

    private static string Describe(UdpSocketCounters socket, string program)
    {
        string port = string.Create(CultureInfo.InvariantCulture, $"port {socket.Port}");
        string owner = program.Length > 0 ? $" ({program})" : "";
        string buffer = socket.ReceiveBufferBytes is { } bytes ? $", buffer {CheckText.Bytes(bytes)}" : "";
        return $"{port}{owner}: {CheckText.Count(socket.Drops ?? 0)} dropped{buffer}";
    }

    // By the socket that dropped most.
    private static string Wanted(HostReadings host)
    {
        long? buffer = host.SocketDrops[0].ReceiveBufferBytes;
        var limits = BufferLimits.Read(host.Request.RootPath);
        if (buffer is null) return "a larger buffer, or a faster reader";
        if (buffer == 2 * limits.ReceiveMaximumBytes) return "a higher limit (rmem-max), or a faster reader";

        return buffer == limits.ReceiveDefaultBytes
            ? "a program that asks for a larger buffer than the default (--buffer of spate)"
            : "a program that asks for a larger buffer (--buffer of spate), or a faster reader";
    }
}
