using RabbitMQ.Client;

namespace Spate.Gateway.Publishing.Rabbit;

/// <summary>
/// An open connection with the sockets under it, so that it can be ended whatever the broker does: the client waits for
/// a write that a frozen peer never takes, and keeps its copies of messages as long.
/// </summary>
internal sealed class RabbitConnection(IConnection connection, RabbitSockets sockets, string host)
{
    /// <summary>The host and port, escaped.</summary>
    public string Host => host;

    public IConnection Connection => connection;

    /// <summary>Ends it at once. Calls that wait for the broker throw.</summary>
    public void Cut() => sockets.Close();

    /// <summary>
    /// Ends it, lost or not, and waits for the broker's answer no longer than told. Throws nothing: what is to be told
    /// was told when the connection was lost.
    /// </summary>
    public async Task EndAsync(TimeSpan patience)
    {
        await Task.WhenAny(SayGoodbyeAsync(), Task.Delay(patience)).ConfigureAwait(false);
        sockets.Close();
    }

    // A broker that is stopped lets the client wait for five seconds, whatever time is given.
    private async Task SayGoodbyeAsync()
    {
        try
        {
            await connection.CloseAsync(
                Constants.ReplySuccess, "done", TimeSpan.FromSeconds(1), abort: true, CancellationToken.None)
                .ConfigureAwait(false);
        }
        catch (Exception)
        {
            // The connection is gone either way.
        }

        try
        {
            await connection.DisposeAsync().ConfigureAwait(false);
        }
        catch (Exception)
        {
            // Likewise.
        }
    }
}
