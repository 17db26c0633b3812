using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Spate.Gateway.Hosted;

namespace Spate.Gateway;

/// <summary>Adds gateways, and their health checks, to a host.</summary>
/// <example><code>
/// HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
/// builder.AddUdpGateway("logs", services => new UdpGatewayOptions
/// {
///     LocalEndPoints = [UdpEndPoint.Any(514)],
///     Target = GatewayTarget.Parse("amqps://rabbit-0,rabbit-1,rabbit-2/logs"),
///     QueueName = "logs",
/// });
/// builder.Services.AddHealthChecks().AddUdpGatewayCheck("logs");
/// await builder.Build().RunAsync();
/// </code></example>
public static class UdpGatewayHostingExtensions
{
    /// <inheritdoc cref="AddUdpGateway(IServiceCollection, string, Func{IServiceProvider, UdpGatewayOptions})"
    ///     path="/*[not(self::param)]"/>
    /// <param name="builder">The builder of the host.</param>
    /// <param name="name">The name of the gateway.</param>
    /// <param name="optionsFactory">Makes the options, when the host starts.</param>
    public static UdpGatewayBuilder AddUdpGateway(
        this IHostApplicationBuilder builder, string name, Func<IServiceProvider, UdpGatewayOptions> optionsFactory)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Services.AddUdpGateway(name, optionsFactory);
    }

    /// <summary>
    /// Adds a gateway that starts and stops with the host, and logs when it loses its connection. When the host stops,
    /// the gateway drains for <see cref="UdpGatewayOptions.DrainTimeout"/>, or until the host's own time ends. Running
    /// gateways are found by name in <see cref="UdpGateways"/>.
    /// </summary>
    /// <param name="services">The services of the host.</param>
    /// <param name="name">
    /// 1 to 64 letters, digits, hyphens, underscores and dots. It names the gateway in logs and, as the attribute
    /// <c>spate.name</c>, in metrics.
    /// </param>
    /// <param name="optionsFactory">Makes the options, when the host starts.</param>
    /// <returns>A builder with the services and the name.</returns>
    /// <exception cref="ArgumentException">The name is not of this form.</exception>
    /// <exception cref="InvalidOperationException">There is a gateway of this name already.</exception>
    public static UdpGatewayBuilder AddUdpGateway(
        this IServiceCollection services, string name, Func<IServiceProvider, UdpGatewayOptions> optionsFactory)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(optionsFactory);
        GatewayRegistration registration = new(name);
        if (services.Any(service => !service.IsKeyedService && registration.Equals(service.ImplementationInstance)))
        {
            throw new InvalidOperationException($"A gateway '{name}' exists already: give each its own name.");
        }

        services.AddSingleton(registration);
        services.TryAddSingleton(static provider => new UdpGateways(provider));
        services.AddKeyedSingleton(name, (provider, _) => new HostedGateway(provider, name, optionsFactory));
        services.AddSingleton<IHostedService>(provider => provider.GetRequiredKeyedService<HostedGateway>(name));
        return new UdpGatewayBuilder(services, name);
    }

    /// <summary>
    /// Adds a health check of a gateway. It is unhealthy (the failure status, to be exact) if the gateway does not
    /// listen, is disconnected, refused or stalled; degraded if it lags, is blocked or drops; else healthy.
    /// </summary>
    /// <param name="builder">The builder of the health checks.</param>
    /// <param name="gatewayName">The name that the gateway was added by.</param>
    /// <param name="name">The name of the check; null for <c>udp-gateway-</c> and the name of the gateway.</param>
    /// <param name="failureStatus">What to report for a failure; null for unhealthy.</param>
    /// <param name="tags">Tags by which checks are chosen; null for none.</param>
    /// <param name="configure">Sets the thresholds; null for the defaults.</param>
    /// <returns>The same builder.</returns>
    /// <exception cref="ArgumentException">A threshold is out of its range.</exception>
    public static IHealthChecksBuilder AddUdpGatewayCheck(
        this IHealthChecksBuilder builder,
        string gatewayName,
        string? name = null,
        HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null,
        Action<GatewayHealthThresholds>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(gatewayName);
        GatewayHealthThresholds thresholds = new();
        configure?.Invoke(thresholds);
        thresholds.Validate();
        string key = name ?? $"udp-gateway-{gatewayName}";
        builder.Services.AddKeyedSingleton(key, (provider, _) => new GatewayHealth(
            provider.GetKeyedService<HostedGateway>(gatewayName) ?? throw new InvalidOperationException(
                $"The health check '{key}' is for a gateway '{gatewayName}' that does not exist: "
                + "add it by AddUdpGateway."),
            thresholds,
            provider.GetService<TimeProvider>() ?? TimeProvider.System));
        return builder.Add(new HealthCheckRegistration(
            key, provider => provider.GetRequiredKeyedService<GatewayHealth>(key), failureStatus, tags));
    }
}
