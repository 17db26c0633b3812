namespace Spate.Serving.Shards;

/// <summary>
/// The sockets that a thread receives from, its own or shared ones: tries each in turn and waits by its rule where all
/// are empty.
/// </summary>
internal sealed class SocketSet(UdpSocket[] sockets, WaitRule wait)
{
    private const int ShortageMilliseconds = 1;

    private int _next;

    /// <summary>Waits at most this long (-1 for ever, 0 not at all); false if nothing came or it was woken.</summary>
    public bool Receive(FilledBatch batch, int timeoutMilliseconds)
    {
        while (true)
        {
            if (TryReceive(batch)) return true;
            if (timeoutMilliseconds == 0) return false;
            if (!PrepareToWait())
            {
                wait.OnShortage(ShortageMilliseconds);
                return TryReceive(batch);
            }

            if (!wait.OnEmpty(timeoutMilliseconds)) return TryReceive(batch);
        }
    }

    // All of them are asked, so that each forgets its shortage.
    private bool PrepareToWait()
    {
        bool all = true;
        foreach (UdpSocket socket in sockets) all &= socket.PrepareToWait();
        return all;
    }

    /// <summary>Begins after the socket that had something last, so that none is passed over for long.</summary>
    private bool TryReceive(FilledBatch batch)
    {
        for (int i = 0; i < sockets.Length; i++)
        {
            int index = _next;
            _next = index + 1 == sockets.Length ? 0 : index + 1;
            if (sockets[index].TryReceive(batch.Batch) != ReceiveStatus.Received) continue;
            batch.LocalIndex = index;
            wait.OnArrival(batch.Batch.Count);
            return true;
        }

        return false;
    }
}
