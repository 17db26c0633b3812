using Spate.Cli.Shell.Options;
using Spate.Cli.Shell.Output;
using Spate.Cli.Shell.Terminal;
using Spate.Cli.Traffic;
using Spate.HostTuning.Reading.Interfaces;
using Spate.Measurement.Reports;
using Spate.Serving;

namespace Spate.Cli.Serve;

/// <summary>The notices of <c>spate serve</c> on stderr after its start.</summary>
internal static class ServeNotices
{
    public static void Tell(ServeRun run, ServeOptions options, Streams streams)
    {
        UdpServer server = run.Server;
        string offload = server.CoalescedReceive ? " with GRO" : "";
        streams.Notice($"serving at {string.Join(' ', server.LocalEndPoints)}, "
            + $"{NameText.Of(options.App)}, {options.DesignName ?? server.Design.Name} with "
            + $"{server.ThreadCount} thread(s), "
            + $"backend {BackendText.NameOf(server.Backend)}{offload}, "
            + $"buffer {Units.Bytes(server.ReceiveBufferBytes)}");
        TrafficSetup.TellBuffer(options.Transport, server.ReceiveBufferBytes, isReceiver: true, streams);
        TrafficSetup.TellFallback(options.Transport.Backend, streams);
        if (run.WorkNanosecondsPerRound is { } nanoseconds)
        {
            streams.Notice($"{options.WorkRounds} rounds of work per datagram: {nanoseconds:0.00} ns "
                + $"each here, {options.WorkRounds * nanoseconds / 1000:0.00} µs in all");
        }

        TellRelay(run, options, streams);
        if (options.App == ServeApp.Echo && !options.LowersTimeToLive)
        {
            streams.Notice(
                $"answers of the {BackendText.NameOf(server.Backend)} backend do not have a lower time to live than "
                + "their requests, so only --answers-per-peer ends a loop with another echo server");
        }
    }

    private static void TellRelay(ServeRun run, ServeOptions options, Streams streams)
    {
        if (options.App != ServeApp.Relay) return;

        string destinations = string.Join(' ', options.Destinations);
        string order = run.KeepsPeers ? "each peer's in their order" : "in no promised order, as threads share peers";
        streams.Notice($"forwarding to {destinations}, {order}; nothing is routed back");
        if (!options.Destinations.All(static destination => LocalAddresses.Contains(destination.Address.ToIPAddress())))
        {
            streams.Notice("a destination is not this machine: it gets as much as arrives here");
        }
    }
}
