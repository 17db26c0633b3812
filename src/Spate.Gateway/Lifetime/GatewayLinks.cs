using Spate.Gateway.Format;
using Spate.Gateway.Publishing;
using Spate.Gateway.Publishing.Rabbit;

namespace Spate.Gateway.Lifetime;

/// <summary>Makes the links of the pipelines, as the target says.</summary>
internal static class GatewayLinks
{
    /// <summary>A function that makes the link of a shard.</summary>
    /// <exception cref="GatewayException">Credentials or certificates cannot be read.</exception>
    public static Func<int, ILink> Of(UdpGatewayOptions options)
    {
        if (options.Target.IsDiscard) return _ => new NullLink();
        RabbitLinkOptions links = new()
        {
            Target = options.Target,
            Credentials = options.Credentials ?? GatewayCredentials.Read(options.Target)!,
            Tls = RabbitTls.Create(options.CertificateAuthorityFile),
            Id = options.Id,
            Names = PartitionNames.Of(options.QueueName!, options.PartitionCount),
            Kind = options.QueueKind,
            DeclaredBytes = options.Declare ? options.MaxQueueBytes : null,
        };
        return shardIndex => new RabbitLink(links, shardIndex);
    }
}
