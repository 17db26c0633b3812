namespace Spate.Buffers;

/// <summary>
/// The reusable state behind a <see cref="DatagramLease"/>. The version tells a lease that was disposed from the one
/// that has the entry now, so a second Dispose of a copy does nothing.
/// </summary>
internal sealed class LeaseEntry
{
    private static readonly Stack<LeaseEntry> Free = new();
    private static readonly Lock FreeLock = new();
    private const int FreeCountMax = 4096;

    private SlotBuffer? _buffer;
    private int _version;

    public static LeaseEntry Rent(SlotBuffer buffer, out int version)
    {
        LeaseEntry? entry;
        lock (FreeLock)
        {
            if (!Free.TryPop(out entry)) entry = new LeaseEntry();
        }

        buffer.Hold();
        Volatile.Write(ref entry._buffer, buffer);
        version = entry._version;
        return entry;
    }

    public byte[] ArrayOf(int version)
    {
        // In this order: a version that still holds after the buffer was read says that the buffer was this lease's.
        SlotBuffer? buffer = Volatile.Read(ref _buffer);
        ObjectDisposedException.ThrowIf(
            Volatile.Read(ref _version) != version || buffer is null, typeof(DatagramLease));
        return buffer.Array;
    }

    public void End(int version)
    {
        if (Interlocked.CompareExchange(ref _version, version + 1, version) != version) return;
        SlotBuffer? buffer = Interlocked.Exchange(ref _buffer, null);
        buffer?.LetGo();
        lock (FreeLock)
        {
            if (Free.Count < FreeCountMax) Free.Push(this);
        }
    }
}
