namespace Spate.Measurement.Bench.Sockets;

/// <summary>Many receiving sockets, and the ways to empty them. Tests have one without sockets.</summary>
internal abstract class SocketSet : IDisposable
{
    /// <summary>The number of receiving sockets.</summary>
    public abstract int Count { get; }

    /// <summary>The ways to empty the sockets, in the order of the table.</summary>
    /// <param name="sizeBytes">Payload bytes of a datagram.</param>
    public abstract IReadOnlyList<SocketsMode> CreateModes(int sizeBytes);

    /// <summary>Queues datagrams in every socket.</summary>
    /// <returns>The number of datagrams that the system accepted.</returns>
    public abstract long Fill(int queuedCount, int sizeBytes);

    /// <summary>Receives what is still in the sockets, or on its way to them, without counting it.</summary>
    public abstract void Discard();

    /// <summary>Closes the sockets.</summary>
    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    /// <summary>Closes the sockets.</summary>
    protected abstract void Close();
}
