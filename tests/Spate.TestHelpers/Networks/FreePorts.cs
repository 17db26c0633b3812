using System.Net;
using System.Net.Sockets;

namespace Spate.TestHelpers.Networks;

/// <summary>Ports for servers that cannot choose one and report it, and for nobody to listen at.</summary>
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
