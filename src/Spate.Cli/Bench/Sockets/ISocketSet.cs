namespace Spate.Cli.Bench.Sockets;

/// <summary>Many receiving sockets, and the ways to empty them. Tests have one without sockets.</summary>
internal interface ISocketSet : IDisposable
{
    int Count { get; }

    /// <summary>In the order of the table.</summary>
    IReadOnlyList<SocketsMode> CreateModes(int sizeBytes);

    /// <summary>Returns the number of datagrams that the system accepted.</summary>
    long Fill(int queuedCount, int sizeBytes);

    /// <summary>Receives what is still in the sockets, or on its way to them, without counting it.</summary>
    void Discard();
}
