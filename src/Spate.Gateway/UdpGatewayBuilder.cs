using Microsoft.Extensions.DependencyInjection;

namespace Spate.Gateway;

/// <summary>
/// A gateway that was added to a host by <see cref="UdpGatewayHostingExtensions"/>, for extensions that set up more of
/// it.
/// </summary>
public sealed class UdpGatewayBuilder
{
    internal UdpGatewayBuilder(IServiceCollection services, string name)
    {
        Services = services;
        Name = name;
    }

    /// <summary>The services of the host.</summary>
    public IServiceCollection Services { get; }

    /// <summary>The name of the gateway.</summary>
    public string Name { get; }
}
