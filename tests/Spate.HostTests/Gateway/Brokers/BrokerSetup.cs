using System.Net;
using System.Net.Sockets;

namespace Spate.HostTests.Gateway.Brokers;

/// <summary>What the tests need of the system for brokers of their own.</summary>
internal static class BrokerSetup
{
    private const string Root = "/usr/lib/rabbitmq/lib";

    // Below the ports that Linux gives to clients (32768 and up), so that no client sits on a broker's port.
    private const int FirstPort = 20_000;
    private const int EndPort = 32_000;

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

    /// <summary>Ports of the loopback at which nobody listens.</summary>
    public static int[] FindPorts(int count)
    {
        var found = new List<TcpListener>(count);
        try
        {
            while (found.Count < count)
            {
                var listener = new TcpListener(IPAddress.Loopback, Random.Shared.Next(FirstPort, EndPort));
                try
                {
                    listener.Start();
                    found.Add(listener);
                }
                catch (SocketException)
                {
                    listener.Dispose();
                }
            }

            return [.. found.Select(static one => ((IPEndPoint)one.LocalEndpoint).Port)];
        }
        finally
        {
            found.ForEach(static one => one.Dispose());
        }
    }
}
