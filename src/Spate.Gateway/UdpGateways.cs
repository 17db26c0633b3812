using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Spate.Gateway.Hosted;

namespace Spate.Gateway;

/// <summary>
/// The gateways of a host by name, a service: to read what they have done. Any thread may call. The host starts and
/// stops the gateways; do not dispose them.
/// </summary>
public sealed class UdpGateways
{
    private readonly IServiceProvider _services;

    internal UdpGateways(IServiceProvider services)
    {
        _services = services;
        Names = [.. services.GetServices<GatewayRegistration>().Select(registration => registration.Name)];
    }

    /// <summary>The names of all gateways that were added, running or not.</summary>
    public IReadOnlyList<string> Names { get; }

    /// <summary>The gateway of a name.</summary>
    /// <param name="name">The name that the gateway was added by.</param>
    /// <exception cref="KeyNotFoundException">No gateway was added by this name.</exception>
    /// <exception cref="InvalidOperationException">The host has not started it yet.</exception>
    public UdpGateway this[string name]
    {
        get
        {
            if (TryGet(name, out UdpGateway? gateway)) return gateway;
            if (!Names.Contains(name, StringComparer.Ordinal))
            {
                throw new KeyNotFoundException(
                    $"No gateway has this name: this host has {string.Join(", ", Names)}.");
            }

            throw new InvalidOperationException(
                $"The host has not started the gateway '{name}': get it after the application has started.");
        }
    }

    /// <summary>Finds the gateway of a name, if it was started. One that has stopped is found too.</summary>
    /// <param name="name">The name that the gateway was added by.</param>
    /// <param name="gateway">The gateway, or null.</param>
    /// <returns>Whether there is one.</returns>
    public bool TryGet(string name, [NotNullWhen(true)] out UdpGateway? gateway)
    {
        ArgumentNullException.ThrowIfNull(name);
        gateway = _services.GetKeyedService<HostedGateway>(name)?.Gateway;
        return gateway is not null;
    }
}
