using System.Text.Json;

namespace Spate.Build.Tests;

/// <summary>
/// Which tests run as programs of Windows, under Wine: those of the library, each class in a process of its own, since
/// the runtime under Wine may stall or crash, which then costs one class. Some run over the stand-in for the parts of
/// Winsock that Wine lacks. Programs of Linux follow, whose tests run the tool for Windows and ask Wine for its gaps.
/// </summary>
internal static class WindowsPlan
{
    private const string Library = "Spate.Tests";
    private const string Host = "Spate.HostTests";
    private const string QuietHost = "group=QuietHost";
    private const string StandIn = "group=StandIn";

    // The longest, so they come first. With offloads Winsock needs more than Wine has.
    private static readonly string[] Contracts =
        [$"{Library}.Contracts.PortableContract", $"{Library}.Contracts.WinsockPlainContract"];

    // The contracts of other backends are Linux's. The rest needs a broker or the files of a Linux host.
    private static readonly string[] Others =
    [
        $"{Library}.Cli*", $"{Library}.Contracts", $"{Library}.Gateway*", $"{Library}.HostTuning*",
        $"{Library}.Measurement*",
    ];

    // Parts of the others that run there.
    private static readonly string[] Parts =
    [
        $"{Library}.Cli.Iperf.Iperf3*", $"{Library}.HostTuning.Reading.Interfaces*",
        $"{Library}.Measurement.PathTest*", $"{Library}.Measurement.Traffic*",
    ];

    /// <summary>The runs that may go in parallel, and those that go one after the other.</summary>
    /// <param name="folder">The folder of the programs for Windows, with <c>tests/Spate.Tests.exe</c>.</param>
    /// <param name="programs">The test programs of Linux.</param>
    /// <param name="stop">Ends it early.</param>
    public static async Task<(List<TestRun> InParallel, List<TestRun> Alone)> ReadAsync(
        string folder, IReadOnlyDictionary<string, string> programs, CancellationToken stop)
    {
        string program = Path.Combine(folder, "tests", $"{Library}.exe");
        if (!File.Exists(program)) throw new BuildException($"no {program}: it is published first");

        string overStandIn = Path.Combine(folder, "standin", $"{Library}.exe");
        string[] modelled = await ListAsync(program, ["-trait", StandIn], stop);
        string[] classes = await ListAsync(program, "-trait-", stop);
        string[] quiet = await ListAsync(program, "-trait", stop);
        return (
            [
                .. Contracts.Concat(classes).Select(name => OfClass(program, name, "-trait-", QuietHost)),
                .. modelled.Select(name => OfClass(overStandIn, name) with { Title = $"{name} (Wine, stand-in)" }),
                .. classes.Where(IsOfServers).Select(name =>
                    OfServers(program, name) with { Title = $"{name} (Wine, Winsock)", Backend = "winsock" }),
                .. classes.Where(IsOfServers).Select(name =>
                    OfServers(overStandIn, name) with { Title = $"{name} (Wine, Rio)", Backend = "rio" }),
            ],
            [
                new TestRun($"{Host}.Windows", programs[Host], "-maxThreads", "2", "-namespace", $"{Host}.Windows*"),
                .. quiet.Select(name => OfClass(program, name, "-trait", QuietHost)),
            ]);
    }

    // The server suite: it opens sockets with the backend that the environment names.
    private static bool IsOfServers(string name) => name.StartsWith($"{Library}.Serving.", StringComparison.Ordinal)
        && name[(name.LastIndexOf('.') + 1)..].StartsWith("Server", StringComparison.Ordinal);

    private static TestRun OfServers(string program, string name) => OfClass(program, name, "-trait-", QuietHost);

    private static TestRun OfClass(string program, string name, params string[] filter) =>
        new($"{name} (Wine)", program, ["-parallel", "none", "-class", name, .. filter]);

    // The classes of the library's tests that are in the group of a quiet host, or are not.
    private static async Task<string[]> ListAsync(string program, string trait, CancellationToken stop)
    {
        string[] without = [.. Others.SelectMany(static space => (string[])["-namespace-", space])];
        string[] with = [.. Parts.SelectMany(static space => (string[])["-namespace", space])];
        return
        [
            .. await ListAsync(program, [trait, QuietHost, "-trait-", StandIn, .. without], stop),
            .. await ListAsync(program, [trait, QuietHost, "-trait-", StandIn, .. with], stop),
        ];
    }

    private static async Task<string[]> ListAsync(string program, string[] filter, CancellationToken stop)
    {
        string output = await new Child($"{Environment.ProcessId} list").RunAsync(
            ".", "wine", [program, "-noLogo", "-noColor", "-list", "classes/json", .. filter], stop);
        string line = output.Split('\n').Last(static line => line.StartsWith('['));
        return JsonSerializer.Deserialize<string[]>(line) ?? [];
    }
}
