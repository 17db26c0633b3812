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

    /// <summary>Called by the host's services.</summary>
    /// <param name="services">The services of the host.</param>
    public UdpGateways(IServiceProvider services)
    {
        ArgumentNullException.ThrowIfNull(services);
        _services = services;
        Names = [.. services.GetServices<GatewayRegistration>().Select(registration => registration.Name)];
    }

    /// <summary>The names of all gateways that were added, running or not.</summary>
    public IReadOnlyList<string> Names { get; }

    /// <summary>The gateway of a name. One that has stopped is found too.</summary>
    /// <param name="name">The name that the gateway was added by.</param>
    /// <exception cref="KeyNotFoundException">No gateway was added by this name.</exception>
    /// <exception cref="InvalidOperationException">The host has not started it yet.</exception>
    public UdpGateway this[string name]
    {
        get
        {
            HostedGateway hosted = _services.GetKeyedService<HostedGateway>(name) ?? throw new KeyNotFoundException(
                $"There is no gateway of this name: those of this host are {string.Join(", ", Names)}.");
            return hosted.Gateway ?? throw new InvalidOperationException(
                $"The host has not started the gateway '{name}': ask for it when the application has started.");
        }
    }
}
