using System.Runtime.InteropServices;

namespace Spate.Serving.Sessions;

/// <summary>
/// Computes the latest time at which a session may have been found, from the tick that a lookup stamped on it. Lookups
/// do not read the clock: they stamp the tick of the latest clock reading, so a session may have been found at any time
/// until the next reading.
/// </summary>
internal sealed class TickLog
{
    // Only stamps of the last idle limit are kept: one per tick, and one or two at the edges.
    private const int Capacity = 2 * SessionClock.TicksPerLimit;

    private readonly SessionTick[] _stamps = new SessionTick[Capacity];
    private uint _first;
    private uint _end;

    /// <summary>Whether any stamp is over.</summary>
    public bool HasOver { get; private set; }

    /// <summary>The latest stamp that is over: its sessions were not found for more than an idle limit.</summary>
    public uint LastOver { get; private set; }

    /// <summary>Notes that the clock was read, and that lookups no longer stamp this tick.</summary>
    /// <param name="stamp">The tick that lookups have stamped.</param>
    /// <param name="now">The new tick.</param>
    /// <param name="isUsed">Whether any lookup found a session since the last reading.</param>
    public void End(uint stamp, uint now, bool isUsed)
    {
        _stamps[_end++ % Capacity] = new SessionTick(stamp, isUsed ? now : stamp);
        while (_first != _end && IsOver(_stamps[_first % Capacity].LastSeen, now))
        {
            LastOver = _stamps[_first++ % Capacity].Tick;
            HasOver = true;
        }
    }

    /// <summary>Whether a session with this stamp was not found for more than an idle limit.</summary>
    public bool IsOver(uint stamp) => HasOver && unchecked((int)(stamp - LastOver)) <= 0;

    // The difference is signed, because ticks wrap.
    private static bool IsOver(uint lastSeen, uint now) =>
        unchecked((int)(now - lastSeen)) > SessionClock.TicksPerLimit;

    /// <param name="Tick">The tick that lookups stamped.</param>
    /// <param name="LastSeen">The latest tick at which such a lookup may have been.</param>
    [StructLayout(LayoutKind.Auto)]
    private readonly record struct SessionTick(uint Tick, uint LastSeen);
}
