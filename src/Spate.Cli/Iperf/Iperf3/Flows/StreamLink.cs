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

    public Iperf3Stream ToPublic() =>
        new(Id, Sends, Socket.LocalEndPoint.ToIPEndPoint(), Socket.Peer.ToIPEndPoint());
}
