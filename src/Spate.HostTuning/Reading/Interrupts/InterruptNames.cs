namespace Spate.HostTuning.Reading.Interrupts;

/// <summary>The names that drivers give their interrupts. They follow no rule; these are the common forms.</summary>
internal static class InterruptNames
{
    // virtio "virtio2-config", mlx5 "mlx5_async0@pci:...", ena "ena-mgmnt@pci:...", i40e and ice "...:misc",
    // ixgbevf "...-mbx": set-up and errors, never datagrams.
    private static readonly string[] Control = ["-config", "async", "mgmnt", "misc", "mbx", "-event"];

    public static bool IsControl(string name)
    {
        foreach (string part in Control)
        {
            if (name.Contains(part, StringComparison.OrdinalIgnoreCase)) return true;
        }

        return false;
    }

    public static InterruptDirection DirectionOf(string name)
    {
        if (name.Contains("txrx", StringComparison.OrdinalIgnoreCase)
            || name.Contains("tx-rx", StringComparison.OrdinalIgnoreCase))
        {
            return InterruptDirection.Both;
        }

        bool receives = HasPart(name, "input") || HasPart(name, "rx");
        bool sends = HasPart(name, "output") || HasPart(name, "tx");
        return receives == sends
            ? InterruptDirection.Both
            : receives ? InterruptDirection.Receive : InterruptDirection.Send;
    }

    /// <summary>The owner's name, alone or followed by a separator.</summary>
    public static bool BelongsTo(string name, string owner) =>
        owner.Length > 0 && name.StartsWith(owner, StringComparison.Ordinal)
        && (name.Length == owner.Length || "-:._@".Contains(name[owner.Length], StringComparison.Ordinal));

    // "eth0-rx-0" and "virtio2-input.0" have the part, "matrix0" has not.
    private static bool HasPart(string name, string part)
    {
        int at = name.IndexOf(part, StringComparison.OrdinalIgnoreCase);
        while (at >= 0)
        {
            int end = at + part.Length;
            if ((at == 0 || !char.IsAsciiLetter(name[at - 1]))
                && (end == name.Length || !char.IsAsciiLetter(name[end])))
            {
                return true;
            }

            at = name.IndexOf(part, end, StringComparison.OrdinalIgnoreCase);
        }

        return false;
    }
}
