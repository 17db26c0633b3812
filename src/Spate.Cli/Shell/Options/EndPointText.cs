using System.Net;
using System.Net.Sockets;

namespace Spate.Cli.Shell.Options;

/// <summary>Reads the endpoints of a command line.</summary>
internal static class EndPointText
{
    private const int DefaultPort = 9999;

    /// <summary>Reads a target to send to: <c>HOST[:PORT]</c>.</summary>
    public static IPEndPoint ParseTarget(string text, AddressFamily? family) => ParseTargets(text, family)[0];

    /// <summary>Reads a target, with all addresses of its name: at least one.</summary>
    public static IReadOnlyList<IPEndPoint> ParseTargets(string text, AddressFamily? family)
    {
        HostPort written = HostPort.Parse(text);
        if (written.Host.Length == 0)
        {
            throw CommandException.WrongUse($"'{text}' names no host: expected HOST or HOST:PORT");
        }

        int port = written.Port ?? DefaultPort;
        return port > 0
            ? [.. HostResolver.ResolveAll(written.Host, family).Select(address => new IPEndPoint(address, port))]
            : throw CommandException.WrongUse($"'{text}' has port 0: expected a number from 1 to 65535");
    }

    /// <summary>
    /// Reads an end point to listen at: <c>ADDRESS:PORT</c>, <c>ADDRESS</c> or <c>:PORT</c>; null for the default. With
    /// port 0 the system chooses the port.
    /// </summary>
    public static IPEndPoint ParseLocal(string? text, AddressFamily? family)
    {
        if (text is { Length: 0 })
        {
            // An empty argument is often an unset variable of a script, which must not open a port to the network.
            throw CommandException.WrongUse("'' is no address: expected ADDRESS:PORT, ADDRESS or :PORT, or none");
        }

        HostPort written = text is null ? default : HostPort.Parse(text);
        IPAddress address = string.IsNullOrEmpty(written.Host)
            ? family == AddressFamily.InterNetworkV6 ? IPAddress.IPv6Any : IPAddress.Any
            : HostResolver.Resolve(written.Host, family);
        return new IPEndPoint(address, written.Port ?? DefaultPort);
    }
}
