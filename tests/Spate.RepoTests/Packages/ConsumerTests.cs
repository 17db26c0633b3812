using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Spate.RepoTests.Packages;

/// <summary>Programs that have nothing but the packages run, and end as they should.</summary>
[Collection(PackedCollection.Name)]
public sealed class ConsumerTests(PackedPackages packed)
{
    private const string StartedInLongRuns =
        "all are built from the packages; those of README.md and the sample HostedEcho start in every run";

    public static TheoryData<string> Samples => [.. Consumers.Samples];

    public static TheoryData<int> ReadmePrograms => [.. Enumerable.Range(0, Consumers.ReadmePrograms.Count)];

    [Fact]
    public void Readme_OfTheRepository_HasPrograms() => Assert.InRange(Consumers.ReadmePrograms.Count, 3, 20);

    /// <summary>
    /// A receiver prints what came or answers it, a sender ends by itself: none may fail, whichever it is.
    /// </summary>
    [Theory]
    [MemberData(nameof(ReadmePrograms))]
    public async Task Program_OfTheReadme_RunsFromThePackages(int index)
    {
        TestWidth.SkipUnlessLongOr(index < Consumers.RepositoryReadmeCount, StartedInLongRuns);
        Consumers consumers = await packed.ConsumersAsync();
        IPEndPoint target = new(IPAddress.Loopback, FreePort());

        // A hosted one reads its end point from its configuration, which command lines are part of.
        using RunningProgram program = consumers.Start(
            Consumers.ReadmeName(index), target.Port.ToString(CultureInfo.InvariantCulture),
            $"--Udp:echo:LocalEndPoints={target}");

        if (await program.NudgeAsync(target))
        {
            (int exitCode, string error) = await program.EndAsync();
            Assert.True(exitCode == 0, error);
        }
    }

    /// <summary>
    /// Port 0 lets the system choose. A program without a line that names an end point sends, and ends by itself.
    /// </summary>
    [Theory]
    [MemberData(nameof(Samples))]
    public async Task Sample_FromThePackages_StartsAndEndsCleanly(string name)
    {
        TestWidth.SkipUnlessLongOr(name is "HostedEcho", StartedInLongRuns);
        Consumers consumers = await packed.ConsumersAsync();
        using var sink = new UdpClient(new IPEndPoint(IPAddress.Loopback, 0));
        string sinkPort = ((IPEndPoint)sink.Client.LocalEndPoint!).Port.ToString(CultureInfo.InvariantCulture);

        using RunningProgram? responder = name == "Clients" ? consumers.Start("DnsResponder", "0") : null;
        IPEndPoint? responds = responder is null ? null : await responder.ReadEndPointAsync();
        using RunningProgram program = name switch
        {
            "Flood" => consumers.Start(name, sinkPort, "1000"),
            "Clients" => consumers.Start(name, "dns", $"{responds!.Port}", "www.example.test"),
            _ => consumers.Start(name, "0"),
        };
        IPEndPoint? target = await program.ReadEndPointAsync();
        if (target is not null)
        {
            using var peer = new UdpClient(target.AddressFamily);
            await peer.SendAsync("datagram"u8.ToArray(), target, TestContext.Current.CancellationToken);
        }

        (int exitCode, string error) = await program.TerminateAsync();
        Assert.True(exitCode == 0, $"exit code {exitCode}\n{error}");
    }

    private static int FreePort()
    {
        using var socket = new UdpClient(new IPEndPoint(IPAddress.Loopback, 0));
        return ((IPEndPoint)socket.Client.LocalEndPoint!).Port;
    }
}
