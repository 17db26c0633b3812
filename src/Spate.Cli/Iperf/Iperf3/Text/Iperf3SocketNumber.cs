using Spate.Cli.Iperf.Iperf3.Results;

namespace Spate.Cli.Iperf.Iperf3.Text;

/// <summary>The number by which the output names a stream: iperf3 has that of its socket's descriptor.</summary>
internal static class Iperf3SocketNumber
{
    /// <summary>5, 7, 8 and so on, as the descriptors of an iperf3 are.</summary>
    public static int Of(Iperf3Stream stream) => stream.Id + 4;
}
