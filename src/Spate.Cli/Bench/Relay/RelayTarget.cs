using System.Net;
using Spate.Cli.Bench.Batched;
using Spate.Cli.Bench.Servers;

namespace Spate.Cli.Bench.Relay;

/// <summary>A row of the relay bench. <paramref name="Row"/> is null for those of System.Net.Sockets.</summary>
/// <param name="Open">Opens and starts a server that sends every datagram on to a destination, on a CPU.</param>
internal sealed record RelayTarget(string Name, SpateRow? Row, Func<IPEndPoint, int?, BenchServer> Open)
{
    public const string BaselineName = "socket-async";

    /// <summary>In the order of the table.</summary>
    public static IReadOnlyList<RelayTarget> All { get; } =
    [
        new(BaselineName, null, static (destination, _) => new AsyncSocketServer(destination)),
        new(
            "socket-blocking",
            null,
            static (destination, cpu) => new BlockingSocketServer("bench relay", cpu, destination)),
        Spate(SpateRow.Mmsg),
        Spate(SpateRow.MmsgOffloads with { Name = "spate" }),
        Spate(SpateRow.UringOffloads with { Name = "spate-uring" }),
    ];

    public string? UnavailableReason => Row?.UnavailableReason;

    private static RelayTarget Spate(SpateRow row)
    {
        var socket = new UdpSocketOptions
        {
            Backend = row.Backend,
            CoalescedReceive = row.UsesOffloads,
            SegmentedSend = row.UsesOffloads,
        };
        return new(row.Name, row, (destination, cpu) => new SpateServer(cpu, destination, socket: socket));
    }
}
