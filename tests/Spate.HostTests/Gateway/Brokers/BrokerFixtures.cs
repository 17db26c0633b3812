using System.Diagnostics;

namespace Spate.HostTests.Gateway.Brokers;

/// <summary>One node, with TLS.</summary>
public sealed class RabbitBroker() : BrokerCluster(nodeCount: 1, hasTls: true);

/// <summary>Three nodes, so that streams and quorum queues have three replicas.</summary>
public sealed class RabbitTrio() : BrokerCluster(nodeCount: 3)
{
    /// <summary>Its tests are among the long ones.</summary>
    protected override bool IsWanted => TestWidth.IsLong;

    /// <summary>Skips a test of it in a short run.</summary>
    internal static void Require()
    {
        TestWidth.SkipUnlessLong("three brokers; KilledBrokerTests kills and restarts one in every run");
        BrokerSetup.Require();
    }
}

/// <summary>One node with its data on a small disk in memory, which fills. Needs root.</summary>
public sealed class RabbitOnSmallDisk() : BrokerCluster(nodeCount: 1)
{
    private const string DiskSize = "48m";

    private string? _mounted;

    /// <summary>Whether the disk could be made.</summary>
    public bool IsReady => _mounted is not null;

    /// <summary>Its one test is among the long ones.</summary>
    protected override bool IsWanted => TestWidth.IsLong;

    internal override BrokerNodeOptions Configure(BrokerNodeOptions options)
    {
        string path = Path.Combine(options.Folder, "disk");
        Directory.CreateDirectory(path);
        bool isMounted = Environment.IsPrivilegedProcess
            && Run("mount", "-t", "tmpfs", "-o", $"size={DiskSize}", "tmpfs", path) == 0;
        if (!isMounted) return options;

        _mounted = path;

        // The alarm must not come before the disk is full: that is what the test is about.
        return options with { DataFolder = path, MinFreeBytes = 1 };
    }

    protected override void CleanUp()
    {
        if (_mounted is not null) Run("umount", _mounted);
    }

    private static int Run(string program, params string[] arguments)
    {
        using Process run = Process.Start(program, arguments);
        run.WaitForExit();
        return run.ExitCode;
    }
}

/// <summary>
/// Tests that share the one node. Brokers want both CPUs of a small machine, so the collections of brokers do not run
/// beside others.
/// </summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class BrokerCollection : ICollectionFixture<RabbitBroker>
{
    public const string Name = "Broker";
}

/// <summary>Tests that share the three nodes.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class TrioCollection : ICollectionFixture<RabbitTrio>
{
    public const string Name = "Trio";
}

/// <summary>The test of the full disk.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class SmallDiskCollection : ICollectionFixture<RabbitOnSmallDisk>
{
    public const string Name = "SmallDisk";
}
