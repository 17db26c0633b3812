using RabbitMQ.Client;

namespace Spate.Gateway.Publishing.Rabbit;

/// <summary>
/// Looks whether the streams or queues of all partitions are there, and declares them where that is asked for.
/// </summary>
internal static class RabbitQueueCheck
{
    /// <summary>Looks, or declares.</summary>
    /// <param name="connection">An open connection.</param>
    /// <param name="names">The names of the partitions.</param>
    /// <param name="kind">What they should be.</param>
    /// <param name="declaredBytes">How many bytes each may hold, to declare them; null to look only.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="GatewayException">One is missing, is there with other arguments, or may not be
    /// used.</exception>
    public static async Task RunAsync(
        IConnection connection,
        IReadOnlyList<string> names,
        GatewayQueueKind kind,
        long? declaredBytes,
        CancellationToken cancellationToken)
    {
        string current = names[0];
        try
        {
            // A refusal ends the channel, which is why this one is not the channel that publishes.
            IChannel channel = await connection.CreateChannelAsync(options: null, cancellationToken)
                .ConfigureAwait(false);
            await using (channel.ConfigureAwait(false))
            {
                foreach (string name in names)
                {
                    current = name;
                    if (declaredBytes is { } bytes)
                    {
                        await channel.QueueDeclareAsync(
                            name,
                            durable: true,
                            exclusive: false,
                            autoDelete: false,
                            QueueDeclaration.ArgumentsOf(kind, bytes),
                            passive: false,
                            noWait: false,
                            cancellationToken).ConfigureAwait(false);
                    }
                    else
                    {
                        await channel.QueueDeclarePassiveAsync(name, cancellationToken).ConfigureAwait(false);
                    }
                }
            }
        }
        catch (Exception fault)
        {
            cancellationToken.ThrowIfCancellationRequested();
            throw RabbitFaults.OfQueue(fault, current, kind, declaredBytes is not null);
        }
    }
}
