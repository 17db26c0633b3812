using Spate.Cli.Iperf;
using Spate.Cli.Iperf.Iperf2;
using Spate.Cli.Iperf.Iperf2.Results;
using Spate.Cli.Iperf.Iperf3.Clients;
using Spate.Cli.Iperf.Iperf3.Options;
using Spate.Cli.Iperf.Iperf3.Results;
using Spate.Cli.Iperf.Iperf3.Servers;
using Spate.Cli.Iperf.Iperf3.Text;
using Spate.Cli.Iperf.Iperf3.Wire;
using Spate.Measurement.Traffic;
using static Spate.CliTests.Iperf.Iperf3.Iperf3Sample;

namespace Spate.CliTests.Snapshots;

/// <summary>
/// The JSON of <c>spate iperf3</c> and the text of both iperf commands are as recorded, at both ends.
/// </summary>
public sealed class IperfSnapshotTests
{
    private static readonly MadeUp Full = new(isSparse: false, listLength: 1);

    public IperfSnapshotTests() => NativeTool.SkipAsInside("it makes up the tests");

    [Fact]
    public void Json_OfBothEnds_IsAsRecorded() => Recorded.AssertSame("Iperf3Json", OfBothEnds(static isClient =>
    {
        List<string> documents = Write(new Iperf3OutputOptions { IsJson = true }, isClient);
        return JsonShape.Of(Assert.Single(documents)).Lines;
    }));

    [Fact]
    public void JsonStream_OfBothEnds_IsAsRecorded() =>
        Recorded.AssertSame("Iperf3JsonStream", OfBothEnds(static isClient =>
            Write(new Iperf3OutputOptions { IsJsonStream = true }, isClient)
                .SelectMany(static line => JsonShape.Of(line).Lines)));

    [Fact]
    public void Iperf3Text_OfBothEnds_IsAsRecorded() =>
        Recorded.AssertSame("Iperf3Text", OfBothEnds(static isClient =>
            Write(new Iperf3OutputOptions { IsVerbose = true }, isClient)));

    [Fact]
    public void Iperf2Text_OfAllEvents_IsAsRecorded()
    {
        var lines = new List<string>();
        var text = new Iperf2Text(lines.Add, 'a');
        foreach (bool isSparse in (bool[])[false, true])
        {
            var made = new MadeUp(isSparse, listLength: 1);
            text.Tell(new IperfTest { Streams = [made.Make<IperfStream>()] });
            text.Tell(made.Make<IperfInterval>() with { Rows = [made.Make<IperfRow>() with { Sends = isSparse }] });
            text.Tell(made.Make<Iperf2Received>());
            text.Tell(new Iperf2SendReport([made.Make<Iperf2Sent>()]));
        }

        Recorded.AssertSame("Iperf2Text", Texts(("all", lines)));
    }

    private static Dictionary<string, string> OfBothEnds(Func<bool, IEnumerable<string>> write) =>
        Texts(("client", write(true)), ("server", write(false)));

    private static Dictionary<string, string> Texts(params (string Name, IEnumerable<string> Lines)[] files) =>
        files.ToDictionary(
            static file => file.Name,
            static file => string.Concat(file.Lines.Select(static line => line + "\n")),
            StringComparer.Ordinal);

    /// <summary>A test in both directions, of two streams each, of which every part is there.</summary>
    private static List<string> Write(Iperf3OutputOptions output, bool isClient)
    {
        var written = new List<string>();
        IIperfObserver observer = Iperf3Observers.Create(
            new Iperf3RunOptions
            {
                Output = output,
                Host = isClient ? "hosta" : "",
                Client = isClient ? new Iperf3ClientOptions { Servers = [] } : null,
                Server = isClient ? null : new Iperf3ServerOptions(),
            },
            written.Add,
            TimeProvider.System);
        Iperf3Test test = NewTest(isClient, new Iperf3Parameters { Bidirectional = true, StreamCount = 2 });
        observer.Tell(test);
        observer.Tell(Interval(test, 0, 1, [.. test.Streams.Select(static _ => Counts(893, 0.00002))]));
        IperfCounts received = Counts(1785, 0.00002, lost: 4, outOfOrder: 2);
        Iperf3Outcome outcome = Outcome([.. test.Streams.Select(_ => Stream(Counts(1785), received))]);
        observer.Tell(outcome with
        {
            Directions = [Direction("client"), Direction("server")],
            Local = Full.Make<TestEndReport>(),
            ServerJson = """{"start":{"version":"iperf 3.12"}}""",
        });
        return written;
    }
}
