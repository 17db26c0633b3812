using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Spate.Serving;

namespace Spate.Hosting;

/// <summary>
/// Gives a hosted server its handler, and options that have no key. See <see cref="UdpHostingExtensions"/>.
/// </summary>
public sealed class UdpServerBuilder
{
    private bool _hasHandler;

    internal UdpServerBuilder(IServiceCollection services, string name)
    {
        Services = services;
        Name = name;
    }

    /// <summary>The services of the host.</summary>
    public IServiceCollection Services { get; }

    /// <summary>The name of the server.</summary>
    public string Name { get; }

    /// <summary>
    /// Makes a handler of this type for every shard, with services for the parameters of its constructor. Each shard
    /// has a scope of its own. The scope and the handler are made on the shard's thread and disposed there when the
    /// shard ends, the handler first, by <see cref="IAsyncDisposable"/> if it has that. Whatever is made in the
    /// scope can take the <see cref="UdpShard"/> as a service.
    /// </summary>
    /// <typeparam name="THandler">The type; it need not be registered as a service.</typeparam>
    /// <returns>The same builder.</returns>
    /// <exception cref="InvalidOperationException">The server has a handler already, or the type has no constructor
    /// that can be chosen.</exception>
    public UdpServerBuilder AddHandler<
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>()
        where THandler : UdpHandler
    {
        ObjectFactory<THandler> make = ActivatorUtilities.CreateFactory<THandler>([]);
        return AddHandler((services, _) => make(services, null));
    }

    /// <summary>Calls a function for the handler of every shard, on the shard's thread.</summary>
    /// <param name="handlerFactory">
    /// Gets the services of the shard's scope and the shard. The handler is disposed when the shard ends, if it can be;
    /// so return a new one each time.
    /// </param>
    /// <returns>The same builder.</returns>
    /// <exception cref="InvalidOperationException">The server has a handler already.</exception>
    public UdpServerBuilder AddHandler(Func<IServiceProvider, UdpShard, UdpHandler> handlerFactory)
    {
        ArgumentNullException.ThrowIfNull(handlerFactory);
        if (_hasHandler)
        {
            throw new InvalidOperationException(
                $"The UDP server '{Name}' has a handler already: let one handler call the other.");
        }

        _hasHandler = true;
        Services.Configure<UdpHostedServerOptions>(Name, options => options.HandlerFactory = handlerFactory);
        return this;
    }

    /// <summary>
    /// Changes the options that the server is started with, after all others, for what
    /// <see cref="UdpHostedServerOptions"/> does not have: batches, metadata, the other options of sockets. It may be
    /// called several times: each function gets what the one before it returned.
    /// </summary>
    /// <param name="customize">
    /// Gets the options, and returns a copy with other values. Called once, when the server starts.
    /// </param>
    /// <returns>The same builder.</returns>
    public UdpServerBuilder Customize(Func<UdpServerOptions, UdpServerOptions> customize)
    {
        ArgumentNullException.ThrowIfNull(customize);
        Services.Configure<UdpHostedServerOptions>(Name, options => options.Customizations.Add(customize));
        return this;
    }
}
