using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Wire;

namespace Spate.Cli.Iperf.Iperf3.Flows;

/// <summary>The socket of one stream, connected to the other end.</summary>
/// <param name="Id">The number that both ends know the stream by.</param>
/// <param name="Sends">Whether this end sends.</param>
/// <param name="Socket">The socket.</param>
internal sealed record StreamLink(int Id, bool Sends, UdpSocket Socket)
{
    /// <summary>The number of a stream: iperf3 has never used 2 (iperf_add_stream in iperf_api.c).</summary>
    /// <param name="index">The stream's place in the order of their beginning, from 0.</param>
    public static int IdOf(int index) => index == 0 ? 1 : index + 2;

    /// <summary>The test that begins now over streams that have been opened.</summary>
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
