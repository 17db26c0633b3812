using System.Net;
using Spate.Cli.Iperf.Iperf3.Clients;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.TestHelpers.Iperf3;

namespace Spate.Tests.Cli.Iperf.Iperf3.Clients;

/// <summary>Options of a program that cannot be: they are refused before anything is sent.</summary>
public sealed class Iperf3ClientOptionsTests
{
    private static readonly Iperf3ClientOptions Client = new() { Servers = [new IPEndPoint(IPAddress.Loopback, 1)] };

    public static IEnumerable<ITheoryDataRow> Wrong { get; } = new TheoryData<string, Iperf3ClientOptions>
    {
        { "Servers.Count", Client with { Servers = [] } },
        { "StreamPort", Client with { StreamPort = 65_536 } },
        { "ConnectTimeout", Client with { ConnectTimeout = TimeSpan.FromSeconds(-1) } },
        { "ReceiveTimeout", Client with { ReceiveTimeout = TimeSpan.Zero } },
        { "Interval", Client with { Interval = TimeSpan.FromSeconds(-1) } },
        { "StreamCount", With(new Iperf3Parameters { StreamCount = 0 }) },
        { "StreamCount", With(new Iperf3Parameters { StreamCount = 129 }) },
        { "LengthBytes", With(new Iperf3Parameters { LengthBytes = 15 }) },
        { "LengthBytes", With(new Iperf3Parameters { LengthBytes = 65_508 }) },
        { "BitsPerSecond", With(new Iperf3Parameters { BitsPerSecond = -1 }) },
        { "FqBitsPerSecond", With(new Iperf3Parameters { FqBitsPerSecond = -1 }) },
        { "BurstDatagrams", With(new Iperf3Parameters { BurstDatagrams = 1001 }) },
        { "Seconds", With(new Iperf3Parameters { Seconds = 86_401 }) },
        { "OmitSeconds", With(new Iperf3Parameters { OmitSeconds = 601 }) },
        { "Bytes", With(new Iperf3Parameters { Bytes = -1 }) },
        { "Blocks", With(new Iperf3Parameters { Blocks = -1 }) },
        { "WindowBytes", With(new Iperf3Parameters { WindowBytes = -1 }) },
        { "TrafficClass", With(new Iperf3Parameters { TrafficClass = 256 }) },
        { "ServerCpu", With(new Iperf3Parameters { ServerCpu = 1025 }) },
    };

    [Theory, MemberData(nameof(Wrong), DisableDiscoveryEnumeration = true)]
    internal void Run_OptionOutOfItsRange_NamesIt(string name, Iperf3ClientOptions options)
    {
        ArgumentOutOfRangeException fault = Assert.Throws<ArgumentOutOfRangeException>(() => Iperf3Client.Run(
            options, new RecordingObserver(), cancellationToken: TestContext.Current.CancellationToken));

        Assert.Equal(name, fault.ParamName);
    }

    private static Iperf3ClientOptions With(Iperf3Parameters parameters) => Client with { Parameters = parameters };
}
