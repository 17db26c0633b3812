using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Cli.Iperf.Iperf3.Flows;

/// <summary>The socket of one stream, connected to the other end.</summary>
internal sealed record StreamLink(int Id, bool Sends, UdpSocket Socket)
{
    /// <summary>The number of a stream: iperf3 has never used 2 (iperf_add_stream in iperf_api.c).</summary>
    public static int IdOf(int index) => index == 0 ? 1 : index + 2;

    public static Iperf3Test Begin(
        bool isClient,
        Iperf3Parameters parameters,
        string cookie,
        ControlStream control,
        IReadOnlyList<StreamLink> links,
        TimeProvider time) => new()
        {
            IsClient = isClient,
            Parameters = parameters,
            Cookie = cookie,
            Local = control.Local,
            Remote = control.Remote,
            MaxSegmentBytes = control.MaxSegmentBytes,
            StartedAt = time.GetUtcNow(),
            Streams = [.. links.Select(static link => link.ToStream())],
            SendBufferBytes = links[0].Socket.SendBufferBytes,
            ReceiveBufferBytes = links[0].Socket.ReceiveBufferBytes,
        };

    private Iperf3Stream ToStream() =>
        new(Id, Sends, Socket.LocalEndPoint.ToIPEndPoint(), Socket.Peer.ToIPEndPoint());
}
