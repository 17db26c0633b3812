namespace Spate.Cli.Bench.Sockets;

/// <summary>Many receiving sockets, and the ways to empty them. Tests have one without sockets.</summary>
internal interface ISocketSet : IDisposable
{
    /// <summary>The number of receiving sockets.</summary>
    int Count { get; }

    /// <summary>The ways to empty the sockets, in the order of the table.</summary>
    /// <param name="sizeBytes">Payload bytes of a datagram.</param>
    IReadOnlyList<SocketsMode> CreateModes(int sizeBytes);

    /// <summary>Queues datagrams in every socket.</summary>
    /// <returns>The number of datagrams that the system accepted.</returns>
    long Fill(int queuedCount, int sizeBytes);

    /// <summary>Receives what is still in the sockets, or on its way to them, without counting it.</summary>
    void Discard();
}
