using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Spate.Hosting.Hosted;
using Spate.Serving;

namespace Spate.Hosting;

/// <summary>
/// The running servers of a host by name, a service: to enqueue datagrams
/// (<see cref="UdpShard.TryEnqueue(ReadOnlySpan{byte}, in UdpEndPoint, int)"/>), to read statistics, or to change the
/// number of threads. Any thread may call. The host starts and stops the servers; do not dispose them.
/// </summary>
public sealed class UdpServers
{
    private readonly IServiceProvider _services;

    internal UdpServers(IServiceProvider services)
    {
        _services = services;
        Names = [.. services.GetServices<ServerRegistration>().Select(registration => registration.Name)];
    }

    /// <summary>The names of all servers that were added, running or not.</summary>
    public IReadOnlyList<string> Names { get; }

    /// <summary>The server of a name.</summary>
    /// <param name="name">The name that the server was added by.</param>
    /// <exception cref="KeyNotFoundException">No server was added by this name.</exception>
    /// <exception cref="InvalidOperationException">The host has not started it yet.</exception>
    public UdpServer this[string name]
    {
        get
        {
            if (TryGet(name, out UdpServer? server)) return server;
            if (!Names.Contains(name, StringComparer.Ordinal))
            {
                throw new KeyNotFoundException(
                    $"No UDP server has this name: this host has {string.Join(", ", Names)}.");
            }

            throw new InvalidOperationException(
                $"The host has not started the UDP server '{name}': get it after the application has started.");
        }
    }

    /// <summary>Finds the server of a name, if it was started. One that has stopped is found too.</summary>
    /// <param name="name">The name that the server was added by.</param>
    /// <param name="server">The server, or null.</param>
    /// <returns>Whether there is one.</returns>
    public bool TryGet(string name, [NotNullWhen(true)] out UdpServer? server)
    {
        ArgumentNullException.ThrowIfNull(name);
        server = _services.GetKeyedService<HostedServer>(name)?.Server;
        return server is not null;
    }
}
