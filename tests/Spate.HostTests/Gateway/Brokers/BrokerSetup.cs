namespace Spate.HostTests.Gateway.Brokers;

/// <summary>What the tests need of the system for brokers of their own.</summary>
internal static class BrokerSetup
{
    private const string Root = "/usr/lib/rabbitmq/lib";

    /// <summary>The folder of the broker's programs; null where none is installed.</summary>
    /// <remarks>The wrappers in /usr/sbin change the user, and so cannot be used.</remarks>
    public static string? Programs { get; } = !Directory.Exists(Root)
        ? null
        : Directory.GetDirectories(Root, "rabbitmq_server-*")
            .Select(static folder => Path.Combine(folder, "sbin"))
            .FirstOrDefault(static folder => File.Exists(Path.Combine(folder, "rabbitmq-server")));

    /// <summary>Skips the test where there is no broker to start.</summary>
    public static void Require() => Assert.SkipUnless(
        OperatingSystem.IsLinux() && Programs is not null, "rabbitmq-server is needed (Debian's package)");
}
