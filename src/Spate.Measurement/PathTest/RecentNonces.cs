using System.Buffers.Binary;

namespace Spate.Measurement.PathTest;

/// <summary>
/// Which cookies have opened a test already, for as long as they are good: a copy of a request opens no second one.
/// </summary>
internal sealed class RecentNonces(TimeProvider time)
{
    /// <summary>The most cookies to remember. A server that starts so many tests in 30 s refuses more.</summary>
    public const int MaxCount = 4096;

    private readonly HashSet<UInt128> _known = [];
    private readonly Queue<(UInt128 Nonce, long Ticks)> _order = new();

    /// <summary>There is no room for another one.</summary>
    public bool IsFull
    {
        get
        {
            ForgetOld();
            return _known.Count >= MaxCount;
        }
    }

    public bool Contains(ReadOnlySpan<byte> cookie) =>
        _known.Contains(BinaryPrimitives.ReadUInt128BigEndian(cookie));

    /// <summary>Remembers a cookie. Returns false if it is known, or if there is no room.</summary>
    public bool TryAdd(ReadOnlySpan<byte> cookie)
    {
        UInt128 nonce = BinaryPrimitives.ReadUInt128BigEndian(cookie);
        if (IsFull || !_known.Add(nonce)) return false;

        _order.Enqueue((nonce, time.GetTimestamp()));
        return true;
    }

    private void ForgetOld()
    {
        while (_order.TryPeek(out (UInt128 Nonce, long Ticks) oldest)
            && time.GetElapsedTime(oldest.Ticks) > AddressCookies.Lifetime)
        {
            _known.Remove(_order.Dequeue().Nonce);
        }
    }
}
