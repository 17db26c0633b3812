using System.Net;
using System.Net.Sockets;

namespace Spate.TestHelpers.Networks;

/// <summary>
/// Ports of the host for brokers, for a service under Wine, and for nobody to listen at. The nodes of a broker and its
/// epmd must know each other's ports before they start, and serve all tests of a class, whose clients have threads in
/// the host's network; so they have no network of their own. Our own ends bind port 0, other programs run in an
/// <see cref="OwnNetwork"/>.
/// </summary>
internal static class FreePorts
{
    // Below the ports that Linux gives to clients (32768 and up), so that no client sits on a server's port.
    private const int FirstPort = 20_000;
    private const int EndPort = 32_000;

    /// <summary>Ports of the loopback at which nobody listens.</summary>
    public static int[] Find(int count)
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
