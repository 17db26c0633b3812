using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Spate.Hosting.Hosted;

namespace Spate.Hosting;

/// <summary>Adds UDP servers, and their health checks, to a host.</summary>
/// <example><code>
/// HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
/// builder.AddUdpServer("echo").AddHandler&lt;EchoHandler&gt;();
/// builder.Services.AddHealthChecks().AddUdpServerCheck("echo");
/// await builder.Build().RunAsync();
/// </code></example>
public static class UdpHostingExtensions
{
    /// <inheritdoc cref="AddUdpServer(IServiceCollection, string, Action{UdpHostedServerOptions})"
    ///     path="/*[not(self::param)]"/>
    /// <param name="builder">The builder of the host.</param>
    /// <param name="name">The name of the server.</param>
    /// <param name="configure">Sets options in code, after the configuration was read; null for none.</param>
    public static UdpServerBuilder AddUdpServer(
        this IHostApplicationBuilder builder, string name, Action<UdpHostedServerOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Services.AddUdpServer(name, configure);
    }

    /// <summary>
    /// Adds a server that starts and stops with the host. Its options are read from the section <c>Udp:name</c> of the
    /// configuration, then from <paramref name="configure"/>, and are validated before any service of the host starts.
    /// Give it a handler with <see cref="UdpServerBuilder.AddHandler{THandler}"/>. Running servers are found by name in
    /// <see cref="UdpServers"/>. If the application has registered a <see cref="TimeProvider"/>, it is the server's
    /// clock.
    /// </summary>
    /// <param name="services">The services of the host.</param>
    /// <param name="name">
    /// 1 to 64 letters, digits, hyphens, underscores and dots. It names the section of the configuration, the server in
    /// logs and, as the attribute <c>spate.name</c>, in metrics.
    /// </param>
    /// <param name="configure">Sets options in code, after the configuration was read; null for none.</param>
    /// <returns>A builder, by which the server gets its handler.</returns>
    /// <exception cref="ArgumentException">The name is not of this form.</exception>
    /// <exception cref="InvalidOperationException">There is a server of this name already, perhaps in another
    /// case.</exception>
    public static UdpServerBuilder AddUdpServer(
        this IServiceCollection services, string name, Action<UdpHostedServerOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ServerRegistration registration = new(name);
        if (services.Any(service => !service.IsKeyedService
            && service.ImplementationInstance is ServerRegistration other && other.IsOf(name)))
        {
            throw new InvalidOperationException(
                $"A UDP server '{name}' exists already: give each its own name, which differs in more than case.");
        }

        services.AddSingleton(registration);
        services.TryAddSingleton(static provider => new UdpServers(provider));
        services.TryAddScoped<ShardHolder>();
        services.TryAddScoped(static provider => provider.GetRequiredService<ShardHolder>().Shard);
        services.TryAddEnumerable(
            ServiceDescriptor.Singleton<IValidateOptions<UdpHostedServerOptions>, ServerOptionsValidation>());
        services.AddKeyedSingleton(name, static (provider, key) => new HostedServer(provider, (string)key!));
        services.AddSingleton<IHostedService>(provider => provider.GetRequiredKeyedService<HostedServer>(name));
        OptionsBuilder<UdpHostedServerOptions> options = services.AddOptions<UdpHostedServerOptions>(name)
            .Configure<IServiceProvider>((options, provider) =>
                OptionsReader.Read(provider.GetService<IConfiguration>(), name, options))
            .ValidateOnStart();
        if (configure is not null) options.Configure(configure);
        return new UdpServerBuilder(services, name);
    }

    /// <summary>
    /// Adds a health check of a server. It is unhealthy (the failure status, to be exact) if the server does not listen
    /// or a handler has not returned for long, and degraded if datagrams were dropped since the last check.
    /// </summary>
    /// <param name="builder">The builder of the health checks.</param>
    /// <param name="serverName">The name that the server was added by.</param>
    /// <param name="name">The name of the check; null for <c>udp-</c> and the name of the server.</param>
    /// <param name="failureStatus">What to report for a failure; null for unhealthy.</param>
    /// <param name="tags">Tags by which checks are chosen; null for none.</param>
    /// <param name="configure">Sets the thresholds; null for the defaults.</param>
    /// <returns>The same builder.</returns>
    /// <exception cref="ArgumentException">A threshold is out of its range.</exception>
    public static IHealthChecksBuilder AddUdpServerCheck(
        this IHealthChecksBuilder builder,
        string serverName,
        string? name = null,
        HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null,
        Action<UdpServerHealthThresholds>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentNullException.ThrowIfNull(serverName);
        UdpServerHealthThresholds thresholds = new();
        configure?.Invoke(thresholds);
        thresholds.Validate();
        string key = name ?? $"udp-{serverName}";
        builder.Services.AddKeyedSingleton(key, (provider, _) => new ServerHealth(
            provider.GetKeyedService<HostedServer>(serverName) ?? throw new InvalidOperationException(
                $"The health check '{key}' is for a UDP server '{serverName}' that does not exist: "
                + "add it by AddUdpServer."),
            thresholds,
            provider.GetService<TimeProvider>() ?? TimeProvider.System));
        return builder.Add(new HealthCheckRegistration(
            key, provider => provider.GetRequiredKeyedService<ServerHealth>(key), failureStatus, tags));
    }
}
