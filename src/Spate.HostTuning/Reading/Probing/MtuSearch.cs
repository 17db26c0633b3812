namespace Spate.HostTuning.Reading.Probing;

/// <summary>
/// Looks for the largest packet that passes a path. A length counts as too long when two probes had no reply: one may
/// be lost. <c>readKnown</c>: what the kernel knows, which a router's answer changes.
/// </summary>
internal sealed class MtuSearch(Func<int, EchoAnswer> ask, Func<int?> readKnown)
{
    public const int MaxProbes = 40;

    private const int Attempts = 2;
    private const int FirstAttempts = 3;

    // WireGuard and other tunnels, PPPoE, Ethernet, Google Cloud (8896), VXLAN below 9000, jumbo frames, AWS (9001).
    private static readonly int[] Usual =
        [1280, 1400, 1420, 1440, 1450, 1460, 1472, 1480, 1492, 1500, 4352, 8896, 8950, 9000, 9001, 9216];

    private int _count;
    private EchoAnswer _last;

    /// <summary>The longest comes first. A cancelled search ends with what is known by then.</summary>
    public MtuProbe Run(int minBytes, int maxBytes, CancellationToken cancellationToken)
    {
        if (!Passes(minBytes, FirstAttempts)) return new MtuProbe(null, false, null, _count);

        int low = minBytes;
        int high = maxBytes + 1;
        int? fragmentBytes = _last.FragmentBytes;
        int next = maxBytes;
        while (high - low > 1 && _count < MaxProbes && !cancellationToken.IsCancellationRequested)
        {
            if (Passes(next, Attempts))
            {
                low = next;
                fragmentBytes = _last.FragmentBytes;
            }
            else
            {
                high = next;
            }

            next = Next(low, high);
        }

        return new MtuProbe(low, high - low <= 1, fragmentBytes, _count);
    }

    private int Next(int low, int high)
    {
        int known = readKnown() ?? 0;
        if (known > low && known < high) return known;
        if (known == low) return low + 1;

        int[] within = [.. Usual.Where(one => one > low && one < high)];
        if (within.Length > 0) return within[within.Length / 2];

        return Array.IndexOf(Usual, low) >= 0 ? low + 1 : low + (high - low) / 2;
    }

    private bool Passes(int bytes, int attempts)
    {
        for (int attempt = 0; attempt < attempts && _count < MaxProbes; attempt++)
        {
            _count++;
            _last = ask(bytes);
            if (_last.HasPassed) return true;
            if (_last.IsTooLong) return false;
        }

        return false;
    }
}

/// <param name="PathBytes">Null where not even the shortest was answered.</param>
/// <param name="IsExact">One byte more did not pass, or nothing longer could be sent.</param>
/// <param name="ReplyFragmentBytes">The MTU of the way back; null for a reply in one packet.</param>
internal sealed record MtuProbe(int? PathBytes, bool IsExact, int? ReplyFragmentBytes, int ProbeCount);
