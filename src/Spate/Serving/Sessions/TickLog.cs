using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Spate.Serving.Sessions;

/// <summary>
/// Decides which sessions have been idle for too long, by the tick that the latest lookup stamped on each of them.
/// Lookups do not read the clock: they stamp the tick of the latest clock reading. So a session with that stamp may
/// have been found at any time until the next reading. For each stamp, this class keeps the latest tick at which a
/// lookup may have written the stamp. The stamp has expired when that latest tick is more than an idle timeout ago.
/// </summary>
internal sealed class TickLog
{
    // Stamps that have expired are dropped. The others are one per tick of the idle timeout and one or two at the
    // edges, so this capacity is more than enough.
    private const int Capacity = 2 * SessionClock.TicksPerLimit;

    private readonly SessionTick[] _stamps = new SessionTick[Capacity];
    private uint _first;
    private uint _end;

    /// <summary>Whether any stamp has expired.</summary>
    public bool HasOver { get; private set; }

    /// <summary>
    /// The latest stamp that has expired. The sessions with this stamp were not found for more than an idle timeout.
    /// </summary>
    public uint LastOver { get; private set; }

    /// <summary>
    /// Called when the clock was read and the tick has changed: lookups no longer stamp the old tick.
    /// </summary>
    /// <param name="stamp">The old tick, which lookups have stamped so far.</param>
    /// <param name="now">The new tick.</param>
    /// <param name="isUsed">Whether any lookup found a session since the previous change of the tick.</param>
    public void End(uint stamp, uint now, bool isUsed)
    {
        _stamps[_end++ % Capacity] = new SessionTick(stamp, isUsed ? now : stamp);
        Debug.Assert(_end - _first <= Capacity, "A stamp that has not expired was overwritten.");
        while (_first != _end && IsOver(_stamps[_first % Capacity].LastSeen, now))
        {
            LastOver = _stamps[_first++ % Capacity].Tick;
            HasOver = true;
        }
    }

    /// <summary>Whether this stamp has expired: its sessions were not found for more than an idle timeout.</summary>
    public bool IsOver(uint stamp) => HasOver && unchecked((int)(stamp - LastOver)) <= 0;

    // The difference is signed, because ticks wrap around.
    private static bool IsOver(uint lastSeen, uint now) =>
        unchecked((int)(now - lastSeen)) > SessionClock.TicksPerLimit;

    /// <param name="Tick">The tick that lookups stamped.</param>
    /// <param name="LastSeen">The latest tick at which one of these lookups may have happened.</param>
    [StructLayout(LayoutKind.Auto)]
    private readonly record struct SessionTick(uint Tick, uint LastSeen);
}
